import { readFile } from 'node:fs/promises';
import { type FastifyInstance, fastify } from 'fastify';
import { basePath } from '../../lib/operations.ts';

export type DocsPageOptions = {
  /** Fills in this key. */
  apiKey?: string;
  /** Sends requests to the page's own origin instead of the deployments. */
  isLocal?: boolean;
  /** Marks the page's scripts for a Content-Security-Policy. */
  nonce?: string;
};

/** Everything that the page consists of. */
export const docsPaths = ['/', '/openapi.json', '/reference.js', '/icon.svg'] as const;

/** Scalar sends nothing to other hosts and shows no links to its own products. */
const quiet = {
  agent: { disabled: true },
  hideClientButton: true,
  mcp: { disabled: true },
  proxyUrl: '',
  showDeveloperTools: 'never',
  telemetry: false,
  withDefaultFonts: false,
} as const;

const looks = {
  // A link into the page focuses a section. The browser's outline around it would be cut off.
  customCss: '.section:focus { outline: none }',
  favicon: 'icon.svg',
  orderSchemaPropertiesBy: 'preserve',
  pageTitle: 'Pet Store',
} as const;

/** Creates the app that serves the documentation page. Callers reach it through `inject`. */
export async function createDocsPage(options: DocsPageOptions = {}): Promise<FastifyInstance> {
  const { apiKey, isLocal, nonce } = options;
  // Imported on demand: its 4 MB would slow down every start of the service.
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const servers = isLocal ? [{ url: basePath, description: 'This machine' }] : [];
  const page = fastify();
  await page.register(scalar, {
    routePrefix: '/',
    configuration: {
      url: 'openapi.json',
      cdn: 'reference.js',
      ...(nonce && { nonce }),
      ...(isLocal && { servers }),
      ...(apiKey && {
        authentication: {
          preferredSecurityScheme: 'apiKey',
          securitySchemes: { apiKey: { token: apiKey } },
        },
      }),
      ...quiet,
      ...looks,
    },
  });
  page.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json').send(await openApiDocument(servers)),
  );
  page.get('/reference.js', async (_request, reply) => {
    const { body } = await page.inject('/js/scalar.js');
    return reply
      .type('text/javascript; charset=utf-8')
      .send(`${await readOwn('exactIntegers.js')}\n${body}`);
  });
  page.get('/icon.svg', async (_request, reply) =>
    reply.type('image/svg+xml').send(await readOwn('icon.svg')),
  );
  return page;
}

function readOwn(name: string): Promise<string> {
  return readFile(new URL(name, import.meta.url), 'utf8');
}

type Schema = { $ref?: string; enum?: unknown[]; default?: unknown };
type Parameter = { $ref?: string; required?: boolean; schema: Schema; example?: unknown };
type OpenApiDocument = {
  servers: object[];
  paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter> };
};

/** Reads openapi.json and puts the given servers first. */
async function openApiDocument(servers: object[]): Promise<string> {
  const document: OpenApiDocument = JSON.parse(await readOwn('../../openapi.json'));
  document.servers.unshift(...servers);
  for (const operation of Object.values(document.paths).flatMap(Object.values)) {
    operation.parameters = operation.parameters?.map((parameter: Parameter) =>
      untickOptional(parameter, document.components.schemas),
    );
  }
  return JSON.stringify(document, null, 2);
}

/**
 * Leaves an optional parameter out of requests until the reader ticks it.
 *
 * Scalar would filter every list by the first status, and send the example Idempotency-Key each time.
 */
function untickOptional(parameter: Parameter, schemas: OpenApiDocument['components']['schemas']) {
  const { example, ...others } = parameter;
  const schema = schemas[others.schema.$ref?.split('/').at(-1) ?? ''] ?? others.schema;
  const value = example ?? schema.enum?.[0];
  if (others.required || value === undefined || value === schema.default) return parameter;

  return { ...others, examples: { example: { value, 'x-disabled': true } } };
}
