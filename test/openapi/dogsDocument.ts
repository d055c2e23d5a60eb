import type { generateClient } from '../../openapi/generateClient.ts';

// An OpenAPI document of another service, with what this interface lacks.

export type Document = Parameters<typeof generateClient>[0];
export type Row = Document['paths'][string][string];
export type Schema = Document['components']['schemas'][string];

const int64: Schema = { type: 'integer', format: 'int64' };
export const inPath = (name: string, schema = int64) => ({
  name,
  in: 'path',
  required: true,
  schema,
});
const inQuery = (name: string, schema: Schema) => ({ name, in: 'query', schema });
const page = [
  inQuery('limit', { type: 'integer', format: 'int32' }),
  inQuery('cursor', { type: 'string' }),
];
export const idempotencyKey = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } };
export const json = (schema: Schema) => ({ content: { 'application/json': { schema } } });
const named = (name: string) => json({ $ref: `#/components/schemas/${name}` });
export const list = (name: string) =>
  json({ type: 'array', items: { $ref: `#/components/schemas/${name}` } });

/** Returns a row of a document with these parts. */
export function row(operationId: string, parts: Partial<Row>): Row {
  return {
    operationId,
    description: `Text of ${operationId}.`,
    parameters: [],
    responses: { 204: {} },
    ...parts,
  };
}

export const listVisits = row('listVisits', {
  parameters: [
    inPath('dogId'),
    ...page,
    inQuery('vetId', int64),
    inQuery('isPaid', { type: 'boolean' }),
  ],
  responses: { 200: list('Visit') },
});

/** A service with a nested list and creation, and a removal without a response body. */
export const dogs: Document = {
  paths: {
    '/dogs': { get: row('listDogs', { parameters: page, responses: { 200: list('Dog') } }) },
    '/dogs/{dogId}': {
      delete: row('removeDog', {
        description:
          'Text of removeDog. Deprecated since 2030. Use `PATCH /dogs/{dogId}/visits/{visitId}` instead.',
        deprecated: true,
        parameters: [inPath('dogId')],
      }),
    },
    '/dogs/{dogId}/visits': {
      get: listVisits,
      post: row('createVisit', {
        parameters: [inPath('dogId'), idempotencyKey],
        requestBody: named('NewVisit'),
        responses: { 201: named('Visit'), 400: named('Error') },
      }),
    },
    '/dogs/{dogId}/visits/{visitId}': {
      patch: row('changeVisit', {
        parameters: [inPath('dogId'), inPath('visitId')],
        requestBody: named('NewVisit'),
        responses: { 200: named('Visit') },
      }),
    },
  },
  components: {
    schemas: {
      Dog: { type: 'object', properties: { id: int64 }, required: ['id'] },
      Kind: { type: 'string', enum: ['check', 'operation'] },
      NewVisit: {
        properties: {
          vetId: { ...int64, description: 'Ends a comment: */' },
          tags: { type: 'array', items: { $ref: '#/components/schemas/Kind' } },
        },
        required: ['vetId'],
      },
      Visit: {
        properties: {
          id: int64,
          vetId: int64,
          kind: { $ref: '#/components/schemas/Kind' },
          tags: { type: 'array', items: { type: 'string' } },
          isPaid: { type: 'boolean' },
          dog: { $ref: '#/components/schemas/Dog' },
          note: { type: 'string' },
        },
        required: ['id', 'vetId', 'kind', 'tags', 'isPaid', 'dog'],
      },
      Error: { properties: { code: { 'x-extensible-enum': ['bad_request'] } } },
    },
  },
};
