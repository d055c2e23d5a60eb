import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import {
  createDocument,
  type oas31,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import type { Stage } from '../infra/stageSchema.ts';
import { stages } from '../infra/stages.ts';
import { httpHeaderName } from '../lib/cors.ts';
import {
  basePath,
  type Operation,
  type OperationName,
  operationEntries,
} from '../lib/operations.ts';
import { type OperationDescription, operationDescriptions } from './descriptions.ts';
import { sharedHeaders } from './headers.ts';
import { describeErrors, describeResponses } from './responses.ts';
import './schemaDescriptions.ts';

const rows = operationEntries.map(([, row]) => row);

const description = `Lists, adds and reads the pets of a store.

- Every operation needs an API key: \`Authorization: Bearer <API_KEY>\`. See [Authentication](authentication.md).
- \`id\` and \`categoryId\` are int64. Many JSON parsers round them: see [int64](int64.md).
- Every error has the same body. [Errors](errors.md) lists the codes.
- Lists are paged and eventually consistent: see [Pagination](pagination.md).
- A \`POST\` needs an \`Idempotency-Key\` to be safe to retry: see [Idempotency](idempotency.md).`;

/** Returns the newest version of the interface, which differs from the version of its implementation. */
function interfaceVersion(): string {
  const [, newest] = /^\*\*(.+)\*\*$/m.exec(readFileSync('docs/guide/changelog.md', 'utf8')) ?? [];
  if (!newest) throw new Error('docs/guide/changelog.md has no version, such as **1.0.0**.');
  return newest;
}

/** Creates the OpenAPI document. */
export function createOpenApiDocument(): ReturnType<typeof createDocument> {
  const { license } = JSON.parse(readFileSync('package.json', 'utf8')) as { license: string };
  const paths = describePaths();
  const tags = rows.map(describeTag);
  const responses = inUse('responses', describeErrors(rows), [paths]);
  const document: ZodOpenApiObject = {
    openapi: '3.1.1',
    info: {
      title: 'Pet Store',
      version: interfaceVersion(),
      description,
      license: { name: license, identifier: license },
    },
    servers: stages.map(describeServer),
    security: [{ apiKey: [] }],
    tags: [...new Map(tags.map((tag) => [tag.name, tag])).values()],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'ps_<stage>_<secret><checksum>',
          description: 'An API key, such as `npm start` prints.',
        },
      },
      headers: inUse('headers', sharedHeaders, [paths, responses]),
      responses,
    },
  };
  return createDocument(document, {
    override: ({ zodSchema: { _zod }, jsonSchema }) => {
      // Responses may get new members: a client must not reject them.
      if (_zod.def.type === 'object') delete jsonSchema.additionalProperties;
    },
  });
}

/** Describes the address of a stage: its domain, or that of API Gateway in its Region. */
function describeServer({ name, account, domain }: Stage): oas31.ServerObject {
  if (domain) return { url: `https://${domain.name}${basePath}`, description: name };
  return {
    url: `https://{apiId}.execute-api.{region}.amazonaws.com/${name}${basePath}`,
    description: `${name}. The stack output BaseAddress has the id of the API and the Region.`,
    variables: {
      // Clients are generated with these defaults. No API has this id, so no stranger gets their keys.
      apiId: { default: 'your-api-id' },
      region: { default: account.region ?? 'eu-west-1' },
    },
  };
}

/** `Pets` for `/pets` and each path below a pet, `Orders` for `/store/orders`. */
function describeTag({ path }: Operation) {
  const [collection = ''] = path.split('/{');
  const resource = collection.slice(collection.lastIndexOf('/') + 1);
  return {
    name: resource.replace(/^./, (letter) => letter.toUpperCase()),
    description: `The ${resource} of the store.`,
  };
}

/** Only the components that something refers to, because the linter reports the others. */
function inUse<T extends object>(kind: string, components: Record<string, T>, users: object[]) {
  const text = JSON.stringify(users);
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => text.includes(`/${kind}/${name}"`)),
  );
}

function describePaths(): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const [name, operation] of operationEntries) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describeOperation(name, operation),
    };
  }
  return paths;
}

function describeOperation(name: OperationName, operation: Operation): ZodOpenApiOperationObject {
  const texts: OperationDescription = operationDescriptions[name];
  const { input, stability, deprecation } = operation;
  const removal = deprecation
    ? ` Deprecated since ${deprecation.since}, removed on ${deprecation.sunset}. ${texts.replacement}`
    : '';
  return {
    operationId: name,
    summary: texts.summary,
    description: `${texts.description}${removal}`,
    ...(stability && { 'x-stability': stability }),
    ...(deprecation && { deprecated: true, 'x-sunset': deprecation.sunset }),
    tags: [describeTag(operation).name],
    parameters: [
      ...describeParameters('path', input.path, texts),
      ...describeParameters('query', input.query, texts),
      ...describeParameters('header', input.headers, texts),
    ],
    ...(input.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: input.body, example: texts.requestExample } },
      },
    }),
    responses: describeResponses(operation, texts),
  };
}

function describeParameters(
  location: 'path' | 'query' | 'header',
  schema: z.ZodMiniType | undefined,
  { parameters = {} }: OperationDescription,
): oas31.ParameterObject[] {
  const { shape = {} } = (schema as z.ZodMiniObject | undefined) ?? {};
  return Object.entries(shape).map(([name, field]) => ({
    name: location === 'header' ? httpHeaderName(name) : name,
    in: location,
    required: !z.safeParse(field, undefined).success,
    ...parameters[name],
  }));
}
