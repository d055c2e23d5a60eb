import { basePath, operationEntries } from '../lib/operations.ts';
import type { ApiFunctionName } from './constructs/ServiceFunction.ts';
import type { Stage } from './stages.ts';

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

/**
 * The limit of one method. API Gateway has no limit for a whole stage: a stage's setting is the default
 * of each method. So the methods share the stage's figure.
 *
 * The fallback gets a tenth, because no client needs it. The operations and the preflight requests share
 * the rest equally.
 */
export function throttleOf(
  name: ApiFunctionName | 'preflight',
  { throttle, corsOrigins = [] }: Pick<Stage, 'throttle' | 'corsOrigins'>,
) {
  const preflights = corsOrigins.length > 0 ? preflightPaths.length : 0;
  const share =
    name === 'fallback' ? 0.1 / fallbackPaths.length : 0.9 / (operationMethods.length + preflights);
  return {
    requestsPerSecond: Math.floor(throttle.requestsPerSecond * share),
    burstRequests: Math.floor(throttle.burstRequests * share),
  };
}

function parents(path: string): string[] {
  const segments = path.split('/').slice(1);
  return segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`);
}
