import { posix } from 'node:path';
import * as z from 'zod/mini';
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

/** An item path that must be added by hand. The message says where. */
export class ItemPathError extends Error {}

/**
 * The item path of each collection, even if no operation serves the path. An entry stays for ever.
 *
 * API Gateway allows only one path parameter below a path, and CloudFormation creates new resources before
 * it deletes old ones. So `{petId}` can never replace `{proxy+}`, nor the other way round.
 */
export const permanentItemPaths = ['/pets/{petId}'];

/**
 * The methods of removed operations, such as `{ method: 'GET', path: '/pets/{petId}' }`. The fallback
 * responds to them. An entry stays for ever.
 *
 * CloudFormation deletes a method only after it has deployed the API. Without an entry, the deployed API
 * would keep the method, and respond 500 because the method's function is gone.
 */
export const retiredMethods: Pick<Operation, 'method' | 'path'>[] = [];

/** The throttle of each HEAD method and each method of the fallback, as a share of an operation's throttle. */
export const fallbackThrottleShare = 0.1;

/** Returns whether an operation adds an item to a collection. */
export function isCreation({ method, successStatus }: Operation): boolean {
  return method === 'POST' && successStatus === 201;
}

/** Every method of the REST API: those of current and removed operations, and `ANY` for everything else. */
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
 * Returns the paths whose `ANY` method sends requests that no operation serves to the fallback function.
 *
 * Without these methods, API Gateway would respond with a 403 that repeats the Authorization header. Every
 * path gets a `{proxy+}` child, unless it has another path parameter as a child.
 */
function fallbackPaths(): string[] {
  const collections = permanentItemPaths.map((path) => basePath + posix.dirname(path));
  // A path stays after its last operation is removed.
  const stay = [...permanentItemPaths, ...retiredMethods.map(({ path }) => path)];
  const paths = [...preflightPaths(), ...stay.map((path) => basePath + path)];
  const withParents = [...new Set(['/', ...paths.flatMap(pathsDownTo)])];
  return withParents.flatMap((path) =>
    collections.includes(path) ? [path] : [path, `${path === '/' ? '' : path}/{proxy+}`],
  );
}

/**
 * Throws if `permanentItemPaths` lacks an item, or the item path of a collection: of a creation or a list. An
 * item path cannot change once it is deployed.
 */
function checkItemPaths(): void {
  const collections = permanentItemPaths.map((path) => posix.dirname(path));
  for (const [name, row] of operationEntries) {
    const { path } = row;
    const isItem = path.endsWith('}');
    const isCollection = isCreation(row) || row.output instanceof z.ZodMiniArray;
    if (!isItem && !isCollection) continue;
    if ((isItem ? permanentItemPaths : collections).includes(path)) continue;
    const itemPath = isItem ? path : `${path}/{id}`;
    throw new ItemPathError(
      `infra/core/apiMethods.ts: add ${itemPath} to permanentItemPaths for ${name}, or use a parameter's name there: ${permanentItemPaths.join(', ')}. An item path cannot change later.`,
    );
  }
}

/** Returns a path and the paths above it: `/v1` and `/v1/pets` for `/v1/pets`. */
function pathsDownTo(path: string): string[] {
  const segments = path.split('/').slice(1);
  return segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`);
}
