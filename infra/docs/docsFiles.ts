import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { codeSamples, type DescribedOperation } from './codeSamples.ts';
import { describeAsTags, listForPrograms, readGuide } from './guide.ts';

type DocsOptions = {
  /** Fills in this key. */
  apiKey?: string;
  /** The server that requests go to, before the deployments. */
  server?: { url: string; description: string };
};

export type DocsFile = {
  type: string;
  body: Buffer;
  /** The query of its address, which changes with its content, so that browsers may keep it. */
  version?: string;
};

type Schema = { $ref?: string; description?: string; enum?: unknown[]; default?: unknown };
type Parameter = DescribedOperation['parameters'][number] & { required?: boolean; schema: Schema };
type Operation = Omit<DescribedOperation, 'parameters'> & { parameters: Parameter[] };
type OpenApiDocument = {
  info: { title: string; description: string };
  servers: object[];
  tags: object[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Scalar sends nothing to other hosts and shows no links to its own products. */
const quiet = {
  agent: { disabled: true },
  hideClientButton: true,
  mcp: { disabled: true },
  proxyUrl: '',
  showDeveloperTools: 'never',
  telemetry: false,
  withDefaultFonts: false,
};

/** Creates the files of the documentation page, by their paths. */
export async function createDocsFiles({
  apiKey,
  server,
}: DocsOptions = {}): Promise<Map<string, DocsFile>> {
  const document: OpenApiDocument = JSON.parse(await readFromRoot('openapi.json'));
  if (server) document.servers.unshift(server);
  const { title, description } = document.info;
  const [summary = ''] = description.split('\n');
  const guide = await readGuide();
  const configuration = {
    apiKey,
    content: {
      ...(await describeForReaders(document)),
      tags: [...describeAsTags(guide, { baseAddress: server?.url, apiKey }), ...document.tags],
    },
    ...quiet,
    customCss: await readOwn('page.css'),
    // Scalar shortens the chapters of closed tags.
    defaultOpenAllTags: true,
    // It would contain the chapters: the page links to openapi.json instead.
    documentDownloadType: 'none',
    // Scalar's own samples contain neither imports nor output.
    hiddenClients: true,
    hideModels: true,
    orderSchemaPropertiesBy: 'preserve',
  };
  const scalar = await readScalar();
  const version = createHash('sha256').update(scalar).digest('hex').slice(0, 16);
  return new Map([
    ['/', file('text/html', html(title, summary, `scalar.js?${version}`, configuration))],
    ['/openapi.json', file('application/json', JSON.stringify(document, null, 2))],
    ['/llms.txt', file('text/plain', listForPrograms(title, summary, guide))],
    ...guide.map(({ name, text }) => [`/${name}.md`, file('text/markdown', text)] as const),
    ['/icon.svg', file('image/svg+xml', await readOwn('icon.svg'))],
    ['/exactIntegers.js', file('text/javascript', await readOwn('exactIntegers.js'))],
    ['/scalar.js', { ...file('text/javascript', scalar), version }],
    ['/startScalar.js', file('text/javascript', await readOwn('startScalar.js'))],
  ]);
}

/** How Scalar's plugin registers with Fastify. */
type Plugin = (server: { route(route: Route): void }, options: object, done: () => void) => void;
type Route = { url: string; handler(request: unknown, reply: Reply): void };
type Reply = { header(): Reply; send(body: string): void };

/**
 * Reads the script of Scalar from the route of its Fastify plugin.
 *
 * `@scalar/api-reference` has the same script, and some 240 more packages.
 */
async function readScalar(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  let script = '';
  const reply: Reply = {
    header: () => reply,
    send(body) {
      script = body;
    },
  };
  const server = {
    route({ url, handler }: Route) {
      if (url.endsWith('.js')) handler({}, reply);
    },
  };
  (plugin as unknown as Plugin)(server, { configuration: { url: 'openapi.json' } }, () => {});
  return script;
}

function html(title: string, summary: string, scalar: string, configuration: object): string {
  // A chapter may contain the end tag of a script.
  const json = JSON.stringify(configuration).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="icon.svg">
  </head>
  <body>
    <a class="skip-link" href="#main">Skip to the text</a>
    <main id="loading">
      <h1>${title}</h1>
      <p>${summary}</p>
      <p>The page is loading. <a href="openapi.json">openapi.json</a> describes the interface for programs, and <a href="llms.txt">llms.txt</a> lists the chapters of the guide.</p>
    </main>
    <div id="app"></div>
    <script type="application/json" id="configuration">${json}</script>
    <script src="exactIntegers.js"></script>
    <script src="${scalar}"></script>
    <script src="startScalar.js"></script>
  </body>
</html>
`;
}

/** Turns openapi.json into the document that Scalar shows: with samples, and forms that are safe to send. */
async function describeForReaders({ paths, ...document }: OpenApiDocument): Promise<object> {
  const { schemas } = document.components;
  const client = await readFromRoot('client/src/types.ts');
  return {
    ...document,
    paths: mapValues(paths, (methods, path) =>
      mapValues(methods, (operation, method) => ({
        ...operation,
        parameters: operation.parameters.map((each) => simplifyParameter(each, schemas)),
        'x-codeSamples': codeSamples(
          method.toUpperCase(),
          path,
          operation,
          client.includes(`  ${operation.operationId}(`),
        ),
      })),
    ),
  };
}

/**
 * Leaves an optional parameter out of requests until the reader ticks it, and gives it one description.
 *
 * Scalar would filter every list by the first status. A header has no example: readers would send the
 * same Idempotency-Key with different bodies.
 */
function simplifyParameter(parameter: Parameter, schemas: Record<string, Schema>): object {
  const { example, ...others } = parameter;
  if (parameter.in === 'header') return others;

  const { description: _, ...schema } =
    schemas[others.schema.$ref?.split('/').at(-1) ?? ''] ?? others.schema;
  const value = example ?? schema.enum?.[0];
  if (others.required || value === undefined || value === schema.default) return parameter;

  return { ...others, schema, examples: { example: { value, 'x-disabled': true } } };
}

function file(type: string, text: string): DocsFile {
  return { type: `${type}; charset=utf-8`, body: Buffer.from(text) };
}

function readFromRoot(path: string): Promise<string> {
  return readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
}

function readOwn(name: string): Promise<string> {
  return readFile(new URL(name, import.meta.url), 'utf8');
}

function mapValues<From, To>(
  values: Record<string, From>,
  change: (value: From, name: string) => To,
) {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, change(value, name)]),
  );
}
