import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from './helpers/anyText.ts';
import { apiKey } from './helpers/api.ts';
import { startGateway } from './helpers/gateway.ts';

type Schema = {
  $ref?: string;
  type?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
};
type Parameter = { name: string; in: 'path' | 'query' | 'header'; schema: Schema };
type OperationObject = {
  operationId: string;
  parameters: Parameter[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
};

const openApiDocument = JSON.parse(readFileSync('openapi.json', 'utf8'));
const operations = Object.entries<Record<string, OperationObject>>(openApiDocument.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

const service = await startGateway();

const hostileText = fc.oneof(
  anyText,
  fc.constantFrom('', '0', '-0', '1e400', '__proto__', 'null', '%00', '\0', '9'.repeat(400)),
);

/** Mostly valid values of a schema, otherwise anything. */
function anyValueOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof(
    { arbitrary: validValueOf(schema), weight: 4 },
    { arbitrary: hostileText, weight: 1 },
    { arbitrary: fc.jsonValue(), weight: 1 },
  );
}

function validValueOf({ $ref, ...schema }: Schema): fc.Arbitrary<unknown> {
  if ($ref) {
    return validValueOf(
      openApiDocument.components.schemas[$ref.replace('#/components/schemas/', '')],
    );
  }
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === 'integer') {
    const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
    return fc.integer({ min: minimum, max: maximum });
  }
  if (schema.properties) {
    const members = Object.entries(schema.properties).map(([name, member]) => [
      name,
      anyValueOf(member),
    ]);
    return fc.record(Object.fromEntries(members), { requiredKeys: [] });
  }
  return fc.string({ unit: 'grapheme' });
}

/** The parameters of one location, each absent, sent once or sent several times. */
function parametersOf({ parameters }: OperationObject, place: Parameter['in']) {
  const lists = parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, schema }) => [name, fc.array(anyValueOf(schema).map(asText), { maxLength: 2 })]);
  return fc.record(Object.fromEntries(lists) as Record<string, fc.Arbitrary<string[]>>);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value);
}

function requestOf(operation: OperationObject) {
  const schema = operation.requestBody?.content['application/json'].schema;
  return fc.record({
    path: parametersOf(operation, 'path'),
    query: parametersOf(operation, 'query'),
    header: parametersOf(operation, 'header'),
    body: schema
      ? fc.oneof(
          anyValueOf(schema).map((value) => JSON.stringify(value)),
          hostileText,
        )
      : fc.constant(undefined),
    contentType: fc.oneof(
      fc.constant('application/json'),
      fc.constantFrom('text/plain', 'a/b', ''),
    ),
  });
}

describe.each(operations)('$operationId under any request', (operation) => {
  it('responds below 500 and as described', async () => {
    await fc.assert(
      fc.asyncProperty(requestOf(operation), async ({ path, query, header, body, contentType }) => {
        const address = new URL(`${service.origin}/v1${fillIn(operation.path, path)}`);
        for (const [name, values] of Object.entries(query)) {
          for (const value of values) address.searchParams.append(name, value);
        }
        const headers = new Headers({
          Authorization: `Bearer ${apiKey}`,
          'Content-Type': contentType,
        });
        for (const [name, values] of Object.entries(header)) {
          // Other values cannot be sent by an HTTP client.
          for (const value of values)
            if (/^[\t\x20-\x7e]*$/.test(value)) headers.append(name, value);
        }

        const response = await fetch(address, {
          method: operation.method.toUpperCase(),
          headers,
          ...(body !== undefined && { body }),
        });

        expect(response.status).toBeLessThan(500);
      }),
      { numRuns: 150 },
    );
  });
});

/** Fills in the path parameters. An absent one is an empty segment. */
function fillIn(template: string, parameters: Record<string, string[]>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(parameters[name]?.[0] ?? ''),
  );
}
