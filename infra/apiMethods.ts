import { posix } from 'node:path';
import {
  basePath,
  isCreation,
  methodsOf,
  type Operation,
  type OperationName,
  operationEntries,
} from '../lib/operations.ts';

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
export const permanentItemPaths = ['/pets/{petId}'];

/**
 * The methods of removed operations, such as `{ method: 'GET', path: '/pets/{petId}' }`. The fallback answers
 * them. An entry stays for ever.
 *
 * CloudFormation deletes a method only after it has deployed the API. So the deployed API would keep it, and
 * respond 500 without its function.
 */
export const retiredMethods: Pick<Operation, 'method' | 'path'>[] = [];

/** The share of an operation's limit that HEAD gets, and each method of the fallback. */
export const fallbackThrottleShare = 0.1;

/** Every method of the REST API: one for each operation, and `ANY` for everything else. */
export function apiMethods(): ApiMethod[] {
  checkItemPaths();
  const removed = retiredMethods.map((row) => ['fallback', row] as const);
  return [
    ...[...operationEntries, ...removed].flatMap(([name, row]) =>
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
  const collections = permanentItemPaths.map((path) => basePath + posix.dirname(path));
  const paths = [...preflightPaths(), ...permanentItemPaths.map((path) => basePath + path)];
  const withParents = [...new Set(['/', ...paths.flatMap(pathsDownTo)])];
  return withParents.flatMap((path) =>
    collections.includes(path) ? [path] : [path, `${path === '/' ? '' : path}/{proxy+}`],
  );
}

/**
 * Throws for an operation without an item path, which could not change after its first deployment.
 *
 * An action, such as `POST /pets/{petId}/restorations`, has no items.
 */
function checkItemPaths(): void {
  const collections = permanentItemPaths.map((path) => posix.dirname(path));
  for (const [name, row] of operationEntries) {
    if (row.method === 'POST' && !isCreation(row)) continue;
    const { path } = row;
    const isItem = path.endsWith('}');
    if ((isItem ? permanentItemPaths : collections).includes(path)) continue;
    const itemPath = isItem ? path : `${path}/{id}`;
    throw new Error(
      `infra/apiMethods.ts: add ${itemPath} to permanentItemPaths for ${name}, or use a parameter's name there: ${permanentItemPaths.join(', ')}. It cannot change later.`,
    );
  }
}

/** `/v1`, `/v1/pets` and `/v1/pets/{petId}` for the last. */
function pathsDownTo(path: string): string[] {
  const segments = path.split('/').slice(1);
  return segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`);
}
