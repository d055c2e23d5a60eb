import { basePath, type OperationName, operationEntries } from '../../lib/operations.ts';

/** The function of an operation, or the fallback for all other requests. */
export type ApiFunctionName = OperationName | 'fallback';

type ApiMethod = { name: ApiFunctionName; method: string; path: string };

const operationMethods = operationEntries.map(([name, { method, path }]) => ({
  name,
  method,
  path: `${basePath}${path}`,
}));

/** All paths of operations with all their parents: `/`, `/v1`, `/v1/pets` and so on. */
const knownPaths = [...new Set(['/', ...operationMethods.flatMap(({ path }) => parents(path))])];

/**
 * The paths that send other methods, and other paths, to the fallback function.
 *
 * API Gateway itself would respond with a 403 that repeats the Authorization header. So every path gets
 * a `{proxy+}` child, unless it has another path parameter as a child.
 */
const fallbackPaths = knownPaths.flatMap((path) => {
  const prefix = path === '/' ? '' : path;
  const hasParameter = knownPaths.some(
    (child) => child.startsWith(`${prefix}/{`) && child.lastIndexOf('/') === prefix.length,
  );
  return hasParameter ? [path] : [path, `${prefix}/{proxy+}`];
});

/** The paths of operations. With `corsOrigins`, each has a method for preflight requests. */
export const preflightPaths = [...new Set(operationMethods.map(({ path }) => path))];

/** Every method of the REST API: one for each operation, and `ANY` for everything else. */
export const apiMethods: readonly ApiMethod[] = [
  ...operationMethods,
  ...fallbackPaths.map((path) => ({ name: 'fallback' as const, method: 'ANY', path })),
];

function parents(path: string): string[] {
  const segments = path.split('/').slice(1);
  return segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`);
}
