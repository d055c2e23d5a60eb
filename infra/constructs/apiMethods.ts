import { posix } from 'node:path';
import {
  basePath,
  methodsOf,
  type Operation,
  type OperationName,
  operationEntries,
} from '../../lib/operations.ts';

/** The function of an operation, or the fallback for all other requests. */
export type ApiFunctionName = OperationName | 'fallback';

export function apiFunctionNames(): ApiFunctionName[] {
  return [...operationEntries.map(([name]) => name), 'fallback'];
}

type ApiMethod = { name: ApiFunctionName; method: string; path: string };

/**
 * The item path of each collection, whether or not it has an operation. An entry stays for ever.
 *
 * API Gateway allows one path parameter below a path, and CloudFormation creates before it deletes. So
 * `{proxy+}` and `{petId}` can never replace each other: an item path exists before its first operation,
 * and after its last.
 */
export const itemPaths = ['/pets/{petId}'];

/**
 * The methods of removed operations, such as `{ method: 'GET', path: '/pets/{petId}' }`. The fallback answers
 * them. An entry stays for ever.
 *
 * CloudFormation deletes a method only after it has deployed the API. So the deployed API would keep it, and
 * respond 500 without its function.
 */
export const removedMethods: Pick<Operation, 'method' | 'path'>[] = [];

/** The share of an operation's limit that HEAD gets, and each method of the fallback. */
export const fallbackShare = 0.1;

/** Every method of the REST API: one for each operation, and `ANY` for everything else. */
export function apiMethods(): ApiMethod[] {
  checkItemPaths();
  const rows: [ApiFunctionName, Pick<Operation, 'method' | 'path'>][] = [
    ...operationEntries,
    ...removedMethods.map((row): ['fallback', typeof row] => ['fallback', row]),
  ];
  return [
    ...rows.flatMap(([name, row]) =>
      methodsOf(row).map((method) => ({ name, method, path: basePath + row.path })),
    ),
    ...fallbackPaths().map((path) => ({ name: 'fallback' as const, method: 'ANY', path })),
  ];
}

/** The paths of operations. With `corsOrigins`, each has a method for preflight requests. */
export function preflightPaths(): string[] {
  return [...new Set(operationEntries.map(([, { path }]) => basePath + path))];
}

/**
 * The paths that send other methods, and other paths, to the fallback function.
 *
 * API Gateway itself would respond with a 403 that repeats the Authorization header. So every path gets
 * a `{proxy+}` child, unless it has another path parameter as a child.
 */
function fallbackPaths(): string[] {
  const collections = itemPaths.map((path) => basePath + posix.dirname(path));
  const paths = [...preflightPaths(), ...itemPaths.map((path) => basePath + path)];
  const withParents = [...new Set(['/', ...paths.flatMap(pathsDownTo)])];
  return withParents.flatMap((path) =>
    collections.includes(path) ? [path] : [path, `${path === '/' ? '' : path}/{proxy+}`],
  );
}

/** Throws for a path whose parameter, or whose lack of one, could not change after its first deployment. */
function checkItemPaths(): void {
  const collections = itemPaths.map((path) => posix.dirname(path));
  for (const [name, { path }] of operationEntries) {
    const isItem = path.endsWith('}');
    if (!isItem && !collections.includes(path)) {
      throw new Error(
        `infra/constructs/apiMethods.ts: add the item path of ${name} to itemPaths, such as ${path}/{id}. It cannot be added later.`,
      );
    }
    if (isItem && !itemPaths.includes(path)) {
      throw new Error(
        `infra/constructs/apiMethods.ts: ${name} has the path ${path}, which itemPaths does not have: ${itemPaths.join(', ')}. Use the parameter's name there, or add the path.`,
      );
    }
  }
}

/** `/v1`, `/v1/pets` and `/v1/pets/{petId}` for the last. */
function pathsDownTo(path: string): string[] {
  const segments = path.split('/').slice(1);
  return segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`);
}
