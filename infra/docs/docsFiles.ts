import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { fastify } from 'fastify';
import { operationTexts } from '../openapi/texts.ts';
import { type OpenApiDocument, pageDocument } from './pageDocument.ts';

type DocsPageOptions = {
  /** Fills in this key. */
  apiKey?: string;
  /** The server that requests go to, before the deployments. */
  server?: { url: string; description: string };
};

export type DocsFile = {
  type: string;
  body: Buffer;
  /** The body compressed by gzip. The name of such a file has its hash, so it never changes. */
  gzipped?: Buffer;
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
} as const;

const looks = {
  customCss: await readOwn('page.css'),
  // It would contain the chapters: the page links to openapi.json instead.
  documentDownloadType: 'none',
  orderSchemaPropertiesBy: 'preserve',
} as const;

/** Whether a path may belong to the page, without loading it. */
export function isDocsPath(path: string): boolean {
  return /^\/(openapi\.json|icon\.svg|reference-[\da-f]{16}\.js)?$/.test(path);
}

/** Creates the files of the documentation page, by their paths. */
export async function createDocsFiles({
  apiKey,
  server,
}: DocsPageOptions = {}): Promise<Map<string, DocsFile>> {
  const document: OpenApiDocument = JSON.parse(await readOwn('../../openapi.json'));
  if (server) document.servers.unshift(server);
  const { name: scriptName, file: script } = await referenceScript();
  const configuration = {
    content: await pageDocument(document),
    ...(apiKey && {
      authentication: {
        preferredSecurityScheme: 'apiKey',
        securitySchemes: { apiKey: { token: apiKey } },
      },
    }),
    ...quiet,
    ...looks,
  };
  return new Map([
    ['/', file('text/html; charset=utf-8', html(scriptName, configuration))],
    ['/openapi.json', file('application/json', JSON.stringify(document, null, 2))],
    ['/icon.svg', file('image/svg+xml', await readOwn('icon.svg'))],
    [`/${scriptName}`, script],
  ]);
}

function html(scriptName: string, configuration: object): string {
  const { example } = operationTexts.createPet.parameters['idempotency-key'];
  // A chapter may contain the end tag of a script.
  const json = JSON.stringify(configuration).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Pet Store</title>
    <link rel="icon" href="icon.svg">
  </head>
  <body>
    <div id="app" data-example-key="${example}"></div>
    <script type="application/json" id="configuration">${json}</script>
    <script src="${scriptName}"></script>
  </body>
</html>
`;
}

type ReferenceScript = { name: string; file: DocsFile };
let loading: Promise<ReferenceScript> | undefined;

/** Loads the script once, because it has 4 MB. */
function referenceScript(): Promise<ReferenceScript> {
  loading ??= loadReferenceScript();
  return loading;
}

/** Loads Scalar between our own two scripts. */
async function loadReferenceScript(): Promise<ReferenceScript> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  await app.register(scalar, { routePrefix: '/', configuration: { url: 'openapi.json' } });
  const { body } = await app.inject('/js/scalar.js');
  const text = [await readOwn('exactIntegers.js'), body, await readOwn('openPage.js')].join('\n');
  return {
    name: `reference-${hash('sha256', text, 'hex').slice(0, 16)}.js`,
    file: {
      ...file('text/javascript; charset=utf-8', text),
      gzipped: await promisify(gzip)(text),
    },
  };
}

function file(type: string, text: string): DocsFile {
  return { type, body: Buffer.from(text) };
}

function readOwn(name: string): Promise<string> {
  return readFile(new URL(name, import.meta.url), 'utf8');
}
