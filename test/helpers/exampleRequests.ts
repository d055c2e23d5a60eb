import { isCreation } from '../../infra/core/apiMethods.ts';
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

/** The operations that add an item, a parent before its children. */
const creations = operationEntries
  .filter(([, row]) => isCreation(row))
  .toSorted(([, a], [, b]) => a.path.length - b.path.length)
  .map(([name]) => name);

/** Returns the operations that add what an operation reads or changes, a parent before its children. */
export function creationsOf(name: OperationName): OperationName[] {
  const { path } = operations[name];
  return creations.filter((creation) => `${path}/{`.startsWith(`${operations[creation].path}/{`));
}

/** Returns the operations whose examples come before that of an operation, in a store without items. */
export function preparationsOf(name: OperationName): OperationName[] {
  return creationsOf(name).filter((creation) => creation !== name);
}
