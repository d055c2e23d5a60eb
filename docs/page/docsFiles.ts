import { readFile } from 'node:fs/promises';
import { basePath } from '../../lib/operations.ts';

export type DocsFile = { type: string; body: string };

type Parameter = { required?: boolean; example?: unknown };
type OpenApiDocument = {
  info: { title: string; description: string };
  servers: object[];
  paths: Record<string, Record<string, { parameters: Parameter[] }>>;
};

/** Creates the files of the documentation page, by their paths. None contains an API key. */
export async function createDocsFiles(baseAddress: string): Promise<Map<string, DocsFile>> {
  const document: OpenApiDocument = JSON.parse(await read('../../openapi.json'));
  const { servers } = document;
  const serversWith = (url: string) => [{ url, description: 'This machine' }, ...servers];
  // Programs that import the document do not know where it came from.
  document.servers = serversWith(baseAddress);
  const forPrograms = JSON.stringify(document, null, 2);

  // Relative to the page, because a proxy may strip a prefix of the path.
  document.servers = serversWith(`.${basePath}`);
  document.info.description += '\n\nFor programs: [openapi.json](openapi.json).';
  leaveOutOptionalParameters(document);
  return new Map([
    ['/', file('text/html', html(document))],
    ['/openapi.json', file('application/json', forPrograms)],
    ['/page.css', file('text/css', await read('page.css'))],
    ['/exactIntegers.js', file('text/javascript', await read('exactIntegers.js'))],
    ['/scalar.js', file('text/javascript', await readScalar())],
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

function html(document: OpenApiDocument): string {
  const { title } = document.info;
  // A description may contain the end tag of a script.
  const json = JSON.stringify(document).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="page.css">
  </head>
  <body>
    <div id="app">The page loads with JavaScript.</div>
    <script type="application/json" id="document">${json}</script>
    <script src="exactIntegers.js"></script>
    <script src="scalar.js"></script>
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
