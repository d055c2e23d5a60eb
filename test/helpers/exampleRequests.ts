import { type OperationName, operationEntries, operations } from '../../lib/operations.ts';
import openApiDocument from '../../openapi.json' with { type: 'json' };
import type { Sent } from './api.ts';

type Described = {
  parameters: { name: string; in: string; example?: unknown }[];
  requestBody?: { content: { 'application/json': { example: unknown } } };
};
type Paths = Record<string, Record<string, Described>>;

/** Returns the request that the examples of an operation in openapi.json describe. */
export function exampleRequest(name: OperationName): Sent {
  const { method, path } = operations[name];
  const paths: Paths = openApiDocument.paths;
  const { parameters, requestBody } = paths[path]?.[method.toLowerCase()] ?? { parameters: [] };
  const examplesIn = (place: string) =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place && parameter.example !== undefined)
        .map((parameter) => [parameter.name, String(parameter.example)]),
    );
  return {
    pathParameters: examplesIn('path'),
    query: examplesIn('query'),
    headers: examplesIn('header'),
    ...(requestBody && { body: requestBody.content['application/json'].example }),
  };
}

/** The operations that add something: the POST of a collection. operations.test.ts names others. */
export const creations = operationEntries
  .filter(([, { method, input }]) => method === 'POST' && !input.path)
  .map(([name]) => name);

/** The operations in an order in which an empty store can serve them: a creation before the others. */
export const creationsFirst = operationEntries.toSorted(
  ([a], [b]) => Number(creations.includes(b)) - Number(creations.includes(a)),
);

/** Returns the operation that adds what an operation reads or changes. */
export function creationOf(name: OperationName): OperationName | undefined {
  const [, collection] = operations[name].path.split('/');
  return creations.find((creation) => operations[creation].path === `/${collection}`);
}
