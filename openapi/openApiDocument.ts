import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import {
  createDocument,
  type oas31,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import {
  basePath,
  interfaceVersion,
  type Operation,
  type OperationName,
  operationEntries,
} from '../lib/operations.ts';
import type { DescriptionsOfRows, OperationDescriptions } from './descriptions.ts';
import { sharedHeaders } from './headers.ts';
import { petDescriptions } from './pets.ts';
import { describeErrors, describeResponses } from './responses.ts';

/** The descriptions of all operations, from the file of each resource. */
const operationDescriptions = { ...petDescriptions } satisfies DescriptionsOfRows;

const rows = operationEntries.map(([, row]) => row);

const description = `Lists, adds and reads pets.

- Every operation needs an API key: \`Authorization: Bearer <API_KEY>\`.
- \`id\` and \`categoryId\` are int64. Many JSON parsers round them: use one that keeps every digit.
- Every error has the same body: \`code\` and \`status\` are for programs, and \`message\` is for people.
- Lists are paged: follow the \`Link\` header with \`rel="next"\`. A new pet may appear in lists a moment later.
- A \`POST\` is safe to retry with an \`Idempotency-Key\`. Without one, a retry may add a second pet.
- Importers such as Postman send a value for each optional parameter. Remove \`cursor\` and \`Idempotency-Key\`: no deployment accepts this cursor, and an Idempotency-Key can be used for one body only.`;

/**
 * A deployment, whose host and stage a reader fills in.
 *
 * Clients are generated with the default. No host has a name below .invalid (RFC 2606), so no stranger gets
 * their keys.
 */
const server: oas31.ServerObject = {
  url: `https://{deployment}${basePath}`,
  description: `A deployment: its base address, without https:// and ${basePath}.`,
  variables: { deployment: { default: 'your-deployment.invalid' } },
};

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
      version: interfaceVersion,
      description,
      license: { name: license, identifier: license },
    },
    servers: [server],
    security: [{ apiKey: [] }],
    tags: [...new Map(tags.map((tag) => [tag.name, tag])).values()],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'ps_<stage>_<secret><checksum>',
          description:
            'An API key, such as `npm start` prints. Its stage has underscores instead of hyphens.',
        },
      },
      headers: inUse('headers', sharedHeaders, [paths, responses]),
      responses,
    },
  };
  return createDocument(document, {
    override: ({ zodSchema: { _zod }, jsonSchema, io }) => {
      // Responses may get new members. Without this keyword, clients that OpenAPI Generator writes in Go or Java
      // reject them.
      if (_zod.def.type === 'object' && io === 'output') jsonSchema.additionalProperties = true;
    },
  });
}

/** `Pets` for `/pets` and each path below a pet, `Orders` for `/store/orders`. */
function describeTag({ path }: Operation) {
  const [collection = ''] = path.split('/{');
  const resource = collection.slice(collection.lastIndexOf('/') + 1);
  return {
    name: resource.replace(/^./, (letter) => letter.toUpperCase()),
    description: `The operations on ${resource}.`,
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
  const { [name]: descriptions }: Partial<Record<OperationName, OperationDescriptions>> =
    operationDescriptions;
  if (!descriptions)
    throw new Error(`${name} has no descriptions: add them in openapi/, as pets.ts has them.`);
  const { input, stability, deprecation } = operation;
  const removal = deprecation
    ? ` Deprecated since ${deprecation.since}, removed on ${deprecation.sunset}. ${descriptions.replacement}`
    : '';
  return {
    operationId: name,
    summary: descriptions.summary,
    description: `${descriptions.description}${removal}`,
    ...(stability && { 'x-stability': stability }),
    ...(deprecation && { deprecated: true, 'x-sunset': deprecation.sunset }),
    tags: [describeTag(operation).name],
    parameters: [
      ...describeParameters('path', input.path, descriptions),
      ...describeParameters('query', input.query, descriptions),
      ...describeParameters('header', input.headers, descriptions),
    ],
    ...(input.body && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: input.body, example: descriptions.requestExample },
        },
      },
    }),
    responses: describeResponses(operation, descriptions),
  };
}

function describeParameters(
  location: 'path' | 'query' | 'header',
  schema: z.ZodMiniType | undefined,
  { parameters = {} }: OperationDescriptions,
): oas31.ParameterObject[] {
  const { shape = {} } = (schema as z.ZodMiniObject | undefined) ?? {};
  return Object.entries(shape).map(([name, field]) => ({
    name: location === 'header' ? httpHeaderName(name) : name,
    in: location,
    required: !z.safeParse(field, undefined).success,
    ...parameters[name],
  }));
}

/** Returns a header name as HTTP writes it, `Idempotency-Key`. The schemas have it in lower case. */
function httpHeaderName(name: string): string {
  return name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
