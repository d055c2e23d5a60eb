import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';
import { projectRoot } from '../../infra/bundle/bundleOptions.ts';

/** A measure that makes cold starts faster, and that a bench can leave out. */
export type Lever = {
  name: string;
  description: string;
  /** The code that it costs, with comments. */
  lines: number;
  /** Whether it also makes warm requests faster. */
  isWarm?: boolean;
  without(options: BuildOptions): BuildOptions;
};

const clientFile = 'lib/dynamodb/client.ts';

export const levers: readonly Lever[] = [
  {
    name: 'mainFields',
    description: 'the ES modules of the SDK, which esbuild can tree-shake (`mainFields`)',
    lines: 2,
    isWarm: true,
    without: (options) => ({ ...options, mainFields: ['main', 'module'] }),
  },
  {
    name: 'builtinModules',
    description: 'Node.js modules from `process.getBuiltinModule` instead of imports',
    lines: 21,
    without: ({ plugins = [], ...options }) => ({
      ...options,
      plugins: plugins.filter(({ name }) => name !== 'builtinModules'),
      banner: requireBanner,
    }),
  },
  {
    name: 'environmentCredentials',
    description: 'credentials from the environment only',
    lines: 24,
    without: (options) => withoutAlias(options, '@aws-sdk/credential-provider-node'),
  },
  {
    name: 'sdkStubs',
    description: 'no event streams and endpoint cache of the SDK',
    lines: 20,
    without: (options) =>
      withoutAlias(withoutAlias(options, '@smithy/core/event-streams'), '@aws-sdk/endpoint-cache'),
  },
  {
    name: 'warmUp',
    description: 'connections and a first SDK call during init (`lib/lambda/warmUp.ts`)',
    lines: 43,
    without: ({ stdin, ...options }) => {
      const contents = String(stdin?.contents).replace(/await warmUp.*/, '');
      return { ...options, stdin: { ...stdin, contents } };
    },
  },
  {
    name: 'connections',
    description: 'a connection for each query of a list during init, not only one',
    lines: 6,
    without: edit('lib/lambda/warmUp.ts', ['length: connectionsOf(name)', 'length: 1']),
  },
  {
    name: 'lambdaSettings',
    description: 'settings that the SDK would look up in `~/.aws` (`lambdaSettings`)',
    lines: 29,
    without: edit(clientFile, ['...lambdaSettings(process.env),', '']),
  },
  {
    name: 'collectStream',
    description: 'a stream collector that loads no web streams (`collectStream`)',
    lines: 15,
    without: edit(clientFile, ['streamCollector: collectStream,', '']),
  },
  {
    name: 'loggerMiddleware',
    description: 'no `loggerMiddleware`, which copies each input and output',
    lines: 2,
    isWarm: true,
    without: edit(clientFile, ["client.middlewareStack.remove('loggerMiddleware');", '']),
  },
  {
    name: 'Sha256',
    description: 'key objects for the signature (`Sha256`)',
    lines: 40,
    isWarm: true,
    without: edit(clientFile, ['sha256: Sha256,', '']),
  },
  {
    name: 'cacheMiddleware',
    description: 'a second client, with `cacheMiddleware`',
    lines: 7,
    isWarm: true,
    without: edit(
      clientFile,
      ['newClient({ cacheMiddleware: true })', 'newClient({})'],
      ['newClient({ requestHandler: dynamoDbClient.config.requestHandler })', 'dynamoDbClient'],
    ),
  },
  {
    name: 'plainClient',
    description: 'API keys and new pets through the plain client instead of the document client',
    lines: 20,
    isWarm: true,
    without: (options) => withDocumentReads(withDocumentWrites(options)),
  },
  {
    name: 'listsAsText',
    description: "lists from DynamoDB's text to JSON text (`lib/pets/petPages.ts`)",
    lines: 45,
    isWarm: true,
    without: replaceFile('lib/pets/petPages.ts', 'test/bench/warm/documentPetPages.js'),
  },
  {
    name: 'zodMini',
    description: '`zod/mini` instead of `zod`',
    lines: 0,
    isWarm: true,
    without: ({ alias, ...options }) => ({ ...options, alias: { ...alias, 'zod/mini': 'zod' } }),
  },
];

const withDocumentReads = edit(
  'lib/apiKeys/lookUpApiKey.ts',
  [
    "import { GetItemCommand } from '@aws-sdk/client-dynamodb'",
    "import { GetCommand } from '@aws-sdk/lib-dynamodb'",
  ],
  ['{ dynamoDbClient, readItem }', '{ documentClient }'],
  ['dynamoDbClient.send', 'documentClient().send'],
  ['new GetItemCommand', 'new GetCommand'],
  ['{ digest: { S: digest } }', '{ digest }'],
  ['readItem(Item)', 'Item'],
);

const withDocumentWrites = edit(
  'lib/pets/petStore.ts',
  ['import { config }', "import { PutCommand } from '@aws-sdk/lib-dynamodb';\nimport { config }"],
  ['{ dynamoDbClient, readItem,', '{ documentClient, dynamoDbClient, readItem,'],
  ['dynamoDbClient.send(new PutItemCommand', 'documentClient().send(new PutItemCommand'],
  [
    'new PutItemCommand({ TableName, Item,',
    `new PutCommand({
      TableName,
      Item: {
        pk: petKey(pet.id, petKeyPrefix),
        statusShard: petKeyPrefix + pet.status + '#' + (pet.id % BigInt(config.writeShards)),
        token,
        ...pet,
      },`,
  ],
);

/** Defines the `require` that CommonJS packages need inside an ES module. */
export const requireBanner = {
  js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
};

function withoutAlias({ alias, ...options }: BuildOptions, name: string): BuildOptions {
  const { [name]: _, ...others } = alias ?? {};
  return { ...options, alias: others };
}

/** Changes the text of a source file. Throws if the file no longer contains a text. */
function edit(file: string, ...changes: [from: string, to: string][]): Lever['without'] {
  return withPlugin(({ onLoad }) =>
    onLoad({ filter: endingWith(file) }, ({ path }) => {
      let contents = readFileSync(path, 'utf8');
      for (const [from, to] of changes) {
        if (!contents.includes(from)) {
          throw new Error(`${file} no longer contains ${from}: correct test/bench/levers.ts.`);
        }
        contents = contents.replace(from, () => to);
      }
      return { contents, loader: 'ts' };
    }),
  );
}

/** Uses another file, which may import the original. */
function replaceFile(file: string, replacement: string): Lever['without'] {
  const path = join(projectRoot, replacement);
  return withPlugin(({ onResolve }) =>
    onResolve({ filter: endingWith(file.slice(file.lastIndexOf('/'))) }, ({ importer }) =>
      importer === path ? undefined : { path },
    ),
  );
}

function withPlugin(setup: Plugin['setup']): Lever['without'] {
  return ({ plugins = [], ...options }) => ({
    ...options,
    plugins: [{ name: 'withoutLever', setup }, ...plugins],
  });
}

function endingWith(path: string): RegExp {
  return new RegExp(`${path.replaceAll('.', '\\.')}$`);
}
