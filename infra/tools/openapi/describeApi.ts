import { readFileSync } from 'node:fs';
import {
  basePath,
  type Operation,
  type OperationName,
  operationEntries,
} from '../../../lib/operations.ts';
import { stages } from '../../stages.ts';
import { describeParameters } from './describeParameters.ts';
import { describeHeaders, describeResponses, type Examples } from './describeResponses.ts';
import { describeSchemas, type JsonSchema, referTo } from './describeSchemas.ts';

const description = `Lists, adds and reads the animals of a pet store.

- Every operation needs an API key: \`Authorization: Bearer <API_KEY>\`. Without a valid one nothing but 401 is learnt.
- \`id\` and \`categoryId\` are int64, exact to the last digit. Read them with a parser that keeps them so: JavaScript's own rounds beyond 2^53.
- Every error has the body \`{code, message, status}\`. \`code\` is for programs, \`message\` says what to change.
- A list comes in pages. Follow \`Link: <…>; rel="next"\` until a page has none. A walk yields each animal that was there when it began exactly once.
- A list is eventually consistent, normally well within a second. Reading one animal sees it as soon as its 201 was sent.
- A \`POST\` with an \`Idempotency-Key\` may be repeated without adding a second animal.`;

/** The version of the interface, as opposed to that of its implementation. */
const interfaceVersion = '1.0.0';

/** Builds the OpenAPI 3.1 description from the operations table and the schemas. */
export function describeApi(examples: Examples): JsonSchema {
  const { license } = JSON.parse(readFileSync('package.json', 'utf8')) as { license: string };
  return {
    openapi: '3.1.1',
    info: {
      title: 'Pet Store',
      version: interfaceVersion,
      description,
      license: { name: license, identifier: license },
    },
    servers: stages.map(({ name }) => ({
      url: `https://{apiId}.execute-api.{region}.amazonaws.com/${name}${basePath}`,
      description: name === 'v1-production' ? 'Production' : 'Staging',
      variables: {
        apiId: { default: 'abcdefghij', description: 'The id of the API, see BaseAddress.' },
        region: { default: 'eu-west-1', description: 'The AWS Region of the deployment.' },
      },
    })),
    security: [{ apiKey: [] }],
    tags: [{ name: 'Pets', description: 'The animals of the store.' }],
    paths: describePaths(examples),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'ps_<stage>_<secret><checksum>',
          description: 'An API key of the deployment.',
        },
      },
      headers: describeHeaders(),
      schemas: describeSchemas(),
    },
  };
}

function describePaths(examples: Examples): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  for (const [name, operation] of operationEntries) {
    paths[operation.path] ??= {};
    Object.assign(paths[operation.path] ?? {}, {
      [operation.method.toLowerCase()]: describeOperation(name, operation, examples),
    });
  }
  return paths;
}

/** The description of one row of the operations table. */
export function describeOperation(
  name: OperationName,
  operation: Operation,
  examples: Examples,
): JsonSchema {
  return {
    operationId: name,
    summary: operation.summary,
    ...describeLifeCycle(operation),
    tags: ['Pets'],
    parameters: describeParameters(operation.input),
    ...(operation.input.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: referTo(operation.input.body) } },
      },
    }),
    responses: describeResponses(name, operation, examples),
  };
}

function describeLifeCycle({ deprecation, stability }: Operation): JsonSchema {
  return {
    ...(stability && { 'x-stability': stability }),
    ...(deprecation && {
      deprecated: true,
      description: `Deprecated since ${deprecation.since}, and removed on ${deprecation.sunset}. Use \`GET ${deprecation.successorPath}\` with the \`status\` filter instead.`,
      'x-sunset': deprecation.sunset,
    }),
  };
}
