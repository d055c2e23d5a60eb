import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { asciiJson } from '../../openapi/asciiJson.ts';
import { joinChapters, readGuide } from './guide.ts';

/** The server that comes first: by its `url` on the page, and by its absolute address for programs and in samples. */
type Server = { url: string; description: string; baseAddress: string };

export type DocsFile = { type: string; body: string };

type Parameter = { required?: boolean; example?: unknown };
type OpenApiDocument = {
  info: { title: string; description: string };
  servers: object[];
  paths: Record<string, Record<string, { parameters: Parameter[] }>>;
};

/** Creates the files of the documentation page, by their paths. None contains an API key. */
export async function createDocsFiles(server?: Server): Promise<Map<string, DocsFile>> {
  const document: OpenApiDocument = JSON.parse(await read('../../openapi.json'));
  /** The servers, of which this one comes first. */
  const serversWith = (url = '') => [
    ...(server ? [{ url, description: server.description }] : []),
    ...document.servers,
  ];
  // Programs that import the document do not know where it came from.
  const forPrograms = { ...document, servers: serversWith(server?.baseAddress) };
  const openApiJson = asciiJson(forPrograms);
  document.servers = serversWith(server?.url);
  const { title, description } = document.info;
  const [summary = ''] = description.split('\n');
  const guide = await readGuide(server?.baseAddress);

  // Scalar puts everything below a heading of its own, unless the description begins with one.
  const text = `# Introduction\n\n${description}`;
  document.info.description = joinChapters([
    { name: 'introduction', title: 'Introduction', text },
    ...guide,
  ]);
  leaveOutOptionalParameters(document);
  const scalar = await readScalar();
  // Browsers may cache the script, so another version gets another address.
  const scalarDigest = createHash('sha256').update(scalar).digest('hex');
  return new Map([
    ['/', file('text/html', html(title, summary, document, scalarDigest))],
    ['/openapi.json', file('application/json', openApiJson)],
    // The links of openapi.json lead to the chapters.
    ...guide.map(({ name, text }) => [`/${name}.md`, file('text/markdown', text)] as const),
    ['/icon.svg', file('image/svg+xml', await read('icon.svg'))],
    ['/page.css', file('text/css', await read('page.css'))],
    ['/exactIntegers.js', file('text/javascript', await read('exactIntegers.js'))],
    ['/scalar.js', file('text/javascript', scalar)],
    ['/startScalar.js', file('text/javascript', await read('startScalar.js'))],
  ]);
}

/**
 * Leaves optional parameters out of requests until the reader ticks them.
 *
 * Otherwise Scalar sends their examples: each list is filtered by the first status, and each pet has the same
 * Idempotency-Key.
 */
function leaveOutOptionalParameters({ paths }: OpenApiDocument): void {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  for (const { parameters } of operations) {
    for (const parameter of parameters.filter(({ required }) => !required)) {
      const value = parameter.example ?? '';
      delete parameter.example;
      Object.assign(parameter, { examples: { example: { value, 'x-disabled': true } } });
    }
  }
}

/** The part of Fastify that Scalar's plugin calls. */
type Plugin = (server: { route(route: Route): void }, options: object, done: () => void) => void;
type Route = { url: string; handler(request: object, reply: Reply): void };
type Reply = { header(): Reply; send(body: string): void };

/**
 * Reads the script of Scalar from the route of its Fastify plugin.
 *
 * `@scalar/api-reference` has the same script, but installs some 240 more packages.
 */
async function readScalar(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const { promise, resolve } = Promise.withResolvers<string>();
  const reply: Reply = { header: () => reply, send: resolve };
  const route = ({ url, handler }: Route) => url.endsWith('.js') && handler({}, reply);
  const options = { configuration: { url: 'openapi.json' } };
  (plugin as unknown as Plugin)({ route }, options, () => {});
  return promise;
}

function html(title: string, summary: string, document: object, scalarDigest: string): string {
  // A chapter may contain the end tag of a script.
  const json = JSON.stringify(document).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="icon.svg">
    <link rel="stylesheet" href="page.css">
  </head>
  <body>
    <main id="loading">
      <h1>${title}</h1>
      <p>${summary}</p>
      <p>The page loads with JavaScript.</p>
      <p><a href="openapi.json">openapi.json</a> describes the interface for programs.</p>
    </main>
    <div id="app"></div>
    <script type="application/json" id="document">${json}</script>
    <script src="exactIntegers.js"></script>
    <script src="scalar.js?${scalarDigest}"></script>
    <script src="startScalar.js"></script>
  </body>
</html>
`;
}

function file(type: string, body: string): DocsFile {
  return { type: `${type}; charset=utf-8`, body };
}

function read(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.url), 'utf8');
}
