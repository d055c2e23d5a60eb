import { ApiError } from '../errors.ts';
import { basePath, methodsOf, type OperationName, operationEntries } from '../operations.ts';

type Route = {
  /** As in the table: `/pets/{petId}`. */
  template: string;
  pathParameters: Record<string, string>;
  operationNames: Record<string, OperationName>;
};

const templates = [...new Set(operationEntries.map(([, { path }]) => path))]
  // API Gateway prefers `/pets/count` to `/pets/{petId}`. So does this order: `{` sorts after all letters.
  .sort()
  .map((template) => ({
    template,
    pattern: new RegExp(`^${basePath}${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
    operationNames: Object.fromEntries(
      operationEntries
        .filter(([, { path }]) => path === template)
        .flatMap(([name, row]) => methodsOf(row).map((method) => [method, name])),
    ),
  }));

/** Finds the route of a path such as `/v1/pets/7`, with the operation of each HTTP method. */
export function findRoute(path: string): Route | undefined {
  for (const { pattern, ...route } of templates) {
    const match = pattern.exec(path);
    if (match) return { ...route, pathParameters: { ...match.groups } };
  }
  return undefined;
}

/** Returns the error of a path that no operation serves: 405 with `Allow` if it is known, else 404. */
export function routeError(path: string): ApiError {
  const route = findRoute(path);
  if (route) {
    const methods = Object.keys(route.operationNames);
    return new ApiError('method_not_allowed', `Use ${either(methods)} on this path.`, {
      headers: { Allow: methods.join(', ') },
    });
  }
  const known = operationEntries.map(([, { method, path }]) => `${method} ${basePath}${path}`);
  return new ApiError('not_found', `There is no such path. Use ${either(known)}.`);
}

/** Returns words as a message lists them: `GET, HEAD or POST`. */
function either(words: string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words);
}
