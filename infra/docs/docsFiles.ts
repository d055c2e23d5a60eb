import { readFile } from 'node:fs/promises';
import { clientSamples } from './clientSamples.ts';

type DocsOptions = {
  /** Fills in this key. */
  apiKey?: string;
  /** The server that requests go to, before the deployments. */
  server?: { url: string; description: string };
};

export type DocsFile = { type: string; body: Buffer };

type Schema = { $ref?: string; enum?: unknown[]; default?: unknown };
type Parameter = { in: string; required?: boolean; schema: Schema; example?: unknown };
type Operation = { operationId: string; parameters: Parameter[] };
type OpenApiDocument = {
  info: { title: string };
  servers: object[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** The files of docs/guide in the order of the sidebar. A file is named after its heading. */
const chapterNames = [
  ...['quickstart', 'authentication', 'errors', 'pagination', 'idempotency-and-retries', 'int64'],
  ...['deprecation', 'changelog'],
];

/** curl is the first sample, then the client, Python and Go. */
const samples = {
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: [
    ...['c', 'clojure', 'csharp', 'dart', 'fsharp', 'http', 'java', 'js', 'julia', 'kotlin'],
    ...['node', 'objc', 'ocaml', 'php', 'powershell', 'r', 'ruby', 'rust', 'swift'],
    ...['httpie', 'wget', 'python3', 'aiohttp', 'httpx_sync', 'httpx_async'],
  ],
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
  const chapters = await Promise.all(chapterNames.map(readChapter));
  const configuration = {
    content: withGuide(document, chapters.join('\n')),
    ...(apiKey && {
      authentication: {
        preferredSecurityScheme: 'apiKey',
        securitySchemes: { apiKey: { token: apiKey } },
      },
    }),
    ...samples,
    ...quiet,
    customCss: await readOwn('page.css'),
    // It would contain the chapters: the page links to openapi.json instead.
    documentDownloadType: 'none',
    hideModels: true,
    orderSchemaPropertiesBy: 'preserve',
  };
  const introduction = /\n\n(.+)/.exec(chapters[0] ?? '')?.[1]?.replaceAll('`', '') ?? '';
  const scalar = new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference'));
  return new Map([
    ['/', file('text/html', html(document.info.title, introduction, configuration))],
    ['/openapi.json', file('application/json', JSON.stringify(document, null, 2))],
    ['/icon.svg', file('image/svg+xml', await readOwn('icon.svg'))],
    ['/exactIntegers.js', file('text/javascript', await readOwn('exactIntegers.js'))],
    ['/scalar.js', file('text/javascript', await readFile(scalar, 'utf8'))],
    ['/startScalar.js', file('text/javascript', await readOwn('startScalar.js'))],
  ]);
}

function html(title: string, introduction: string, configuration: object): string {
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
      <p>${introduction}</p>
      <p>The page is loading. <a href="openapi.json">openapi.json</a> describes the interface for programs.</p>
    </main>
    <div id="app"></div>
    <script type="application/json" id="configuration">${json}</script>
    <script src="exactIntegers.js"></script>
    <script src="scalar.js"></script>
    <script src="startScalar.js"></script>
  </body>
</html>
`;
}

/** Turns openapi.json into the document that Scalar shows: with the guide and samples of the client. */
function withGuide({ paths, ...document }: OpenApiDocument, guide: string): object {
  const { schemas } = document.components;
  return {
    ...document,
    // Scalar's sidebar lists its headings.
    info: { ...document.info, description: guide },
    paths: mapValues(paths, (methods) =>
      mapValues(methods, (operation) => ({
        ...operation,
        parameters: operation.parameters.map((each) => untickOptional(each, schemas)),
        'x-codeSamples': samplesOf(operation),
      })),
    ),
  };
}

function samplesOf({ operationId }: Operation): object[] {
  const source = (clientSamples as Record<string, string>)[operationId];
  return source ? [{ lang: 'typescript', label: 'petstore-client', source }] : [];
}

/**
 * Leaves an optional parameter out of requests until the reader ticks it.
 *
 * Scalar would filter every list by the first status. A header has no example: readers would send the
 * same Idempotency-Key with different bodies.
 */
function untickOptional(parameter: Parameter, schemas: Record<string, Schema>): object {
  const { example, ...others } = parameter;
  if (parameter.in === 'header') return others;

  const schema = schemas[others.schema.$ref?.split('/').at(-1) ?? ''] ?? others.schema;
  const value = example ?? schema.enum?.[0];
  if (others.required || value === undefined || value === schema.default) return parameter;

  return { ...others, examples: { example: { value, 'x-disabled': true } } };
}

/** Reads a chapter. Its links lead to the chapters of the page, and to openapi.json beside it. */
async function readChapter(name: string): Promise<string> {
  const text = await readFromRoot(`docs/guide/${name}.md`);
  return text
    .replaceAll(/\]\((?:[\w-]+\.md#|([\w-]+)\.md\))/g, (_link, chapter) =>
      chapter ? `](#description/${chapter})` : '](#description/',
    )
    .replaceAll('](../../openapi.json)', '](openapi.json)');
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

function mapValues<From, To>(values: Record<string, From>, change: (value: From) => To) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
