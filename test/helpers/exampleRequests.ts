import { isCreation } from '../../infra/core/apiMethods.ts';
import { type OperationName, operationEntries, operations } from '../../lib/operations.ts';
import openApiDocument from '../../openapi.json' with { type: 'json' };
import { call, type Sent } from './api.ts';
import { functions } from './gateway.ts';

type Described = {
  parameters: {
    name: string;
    in: string;
    example?: unknown;
    schema: { $ref?: string; type?: string };
  }[];
  requestBody?: { content: { 'application/json': { example: unknown } } };
};
type Paths = Record<string, Record<string, Described>>;

function describedOf(name: OperationName): Described {
  const { method, path } = operations[name];
  const paths: Paths = openApiDocument.paths;
  return paths[path]?.[method.toLowerCase()] ?? { parameters: [] };
}

/** Returns the request that the examples of an operation in openapi.json describe. */
export function exampleRequest(name: OperationName): Sent {
  const { parameters, requestBody } = describedOf(name);
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

/** Returns an empty query, and one with each parameter: its example, or its first value. */
export function queriesOf(name: OperationName): Record<string, string>[] {
  const schemas: Record<string, { type: string; enum?: string[] }> =
    openApiDocument.components.schemas;
  const queries = describedOf(name)
    .parameters.filter((parameter) => parameter.in === 'query')
    .flatMap((parameter) => {
      const { $ref = '' } = parameter.schema;
      const [first] = schemas[$ref.slice($ref.lastIndexOf('/') + 1)]?.enum ?? [];
      const value = parameter.example ?? first;
      return value === undefined ? [] : [{ [parameter.name]: String(value) }];
    });
  return [{}, ...queries];
}

/** Sends the example of an operation to its function. */
export function sendExample(name: OperationName) {
  return call(functions[name], exampleRequest(name));
}

/** The operations that add an item, a parent before its children. */
const creations = operationEntries
  .filter(([, row]) => isCreation(row))
  .toSorted(([, a], [, b]) => a.path.length - b.path.length)
  .map(([name]) => name);

/** Returns the operations that add what an operation reads or changes, a parent before its children. */
export function preparationsOf(name: OperationName): OperationName[] {
  const { path } = operations[name];
  return creations.filter(
    (each) => each !== name && `${path}/{`.startsWith(`${operations[each].path}/{`),
  );
}
