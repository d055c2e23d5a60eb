import { readFile } from 'node:fs/promises';
import { clientSamples } from './clientSamples.ts';

type Schema = { $ref?: string; enum?: unknown[]; default?: unknown };
type Parameter = { $ref?: string; required?: boolean; schema: Schema; example?: unknown };
type Operation = { operationId: string; parameters?: Parameter[] };

export type OpenApiDocument = {
  info: { description: string };
  servers: object[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** The files of docs/guide in the order of the sidebar. A file is named after its heading. */
const chapters = [
  ...['quickstart', 'authentication', 'errors', 'pagination', 'idempotency-and-retries', 'int64'],
  ...['deprecation', 'changelog'],
];

/** Turns openapi.json into the document that Scalar shows: with chapters and samples of the client. */
export async function pageDocument(document: OpenApiDocument): Promise<object> {
  const { schemas } = document.components;
  const { version } = JSON.parse(await readFromRoot('client/package.json'));
  return {
    ...document,
    info: {
      ...document.info,
      // Scalar's sidebar lists its headings.
      description: (await Promise.all(chapters.map(readChapter))).join('\n'),
      'x-scalar-sdk-installation': [
        {
          lang: 'petstore-client',
          description: 'The typed client. `npm run client` in the service’s folder packs it.',
          source: `npm install ./petstore-client-${version}.tgz`,
        },
      ],
    },
    paths: mapValues(document.paths, (methods) =>
      mapValues(methods, (operation) => ({
        ...operation,
        parameters: operation.parameters?.map((each) => untickOptional(each, schemas)),
        'x-codeSamples': samplesOf(operation),
      })),
    ),
  };
}

/** Reads a chapter. Its links lead to the chapters of the page, and to openapi.json beside it. */
async function readChapter(name: string): Promise<string> {
  const text = await readFromRoot(`docs/guide/${name}.md`);
  return text
    .replaceAll(/\]\(([\w-]+)\.md\)/g, '](#description/$1)')
    .replaceAll('](../../openapi.json)', '](openapi.json)');
}

function readFromRoot(path: string): Promise<string> {
  return readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
}

function samplesOf({ operationId }: Operation): object[] {
  const source = (clientSamples as Record<string, string>)[operationId];
  return source ? [{ lang: 'typescript', label: 'petstore-client', source }] : [];
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

function mapValues<From, To>(values: Record<string, From>, change: (value: From) => To) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
