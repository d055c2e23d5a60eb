import { globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';

const plainTables = 'lib/{operations,schemas,errors,cors,config,metrics,int64,tables}.ts';

// Biome's noRestrictedImports compares the text of an import, not the file that it names, and the options of one
// override replace those of another. knip knows no directions.

/** Which files must never import which files or packages. A glob after `!` is an exception. */
const rules: [reason: string, files: string, never: string][] = [
  ['The function of an operation imports only lib.', 'functions/*.ts', '** !lib/**'],
  [
    'The other functions import lib and packages.',
    'functions/**',
    '{client,docs,functions,infra,local,openapi,test,tools}/**',
  ],
  [
    'lib ships in the bundles: it imports only lib.',
    'lib/**',
    '** !lib/** !@aws-sdk/** !@middy/** !aws-lambda !node:* !zod/mini',
  ],
  ['The CDK app loads these tables of lib.', plainTables, `** !${plainTables} !zod !zod/mini`],
  [
    'The CDK app loads only plain tables of lib.',
    'infra/*.ts infra/{core,parts}/**',
    `{functions,lib,local,openapi,tools}/** !${plainTables}`,
  ],
  ['The core imports no part.', 'infra/core/**', 'infra/parts/**'],
  ...globSync('infra/parts/*').map((part): [string, string, string] => [
    'A part imports no other part.',
    `${part}/**`,
    `infra/parts/** !${part}/**`,
  ]),
  [
    'Only the stack knows the settings of a stage: core and parts name what they need.',
    'infra/{core,parts}/**',
    'infra/*.ts',
  ],
  ['The settings import neither core nor parts.', 'infra/{stageSchema,stages}.ts', 'infra/*/**'],
  ['Only bundles contain these modules.', '**', 'lib/coldStart/{warmUp,defaultProvider}.ts'],
  [
    'npm start imports only lib, functions and the settings of the stages; the commands import it, never back.',
    'local/**',
    '{client,docs,infra,openapi,test,tools}/** !infra/stages.ts',
  ],
  ['Only lib/http uses middy.', '** !lib/http/**', '@middy/**'],
  [
    'Only the folders that call AWS use the SDK.',
    'lib/*.ts lib/http/** infra/** openapi/** docs/**',
    '@aws-sdk/**',
  ],
  [
    'Only stacks and constructs use the CDK.',
    '** !infra/*.ts !infra/{core,parts}/**',
    '{aws-cdk-lib,aws-cdk-lib/**,cdk-*,constructs}',
  ],
  ['The client has no dependencies.', 'client/src/**', '** !client/src/**'],
  ['The client is a package of its own.', '** !client/src/**', 'client/src/**'],
  [
    'The contract suite knows a deployment from outside only.',
    // The exception starts the service if `npm run smoke` names no deployment.
    'test/contract/** !test/contract/serviceUnderTest.ts',
    '{client,docs,functions,infra,lib,local,openapi,test,tools}/** !test/contract/**',
  ],
];

const files = globSync(
  '{client/src,docs/page,functions,infra,lib,local,openapi,tools,test/contract}/**/*.{ts,js,cjs}',
);
const imports = files.flatMap((file) => importsOf(file, readFileSync(file, 'utf8')));

describe('imports', () => {
  it.each(rules)('go one way: %s', (_, importers, never) => {
    const wrong = imports.filter(
      ({ file, target }) => matches(file, importers) && matches(target, never),
    );

    expect(wrong).toEqual([]);
    // A glob without a file means that a folder of the rule was renamed.
    const unknown = importers
      .split(' ')
      .filter((glob) => !files.some((file) => matches(file, glob.replace('!', ''))));
    expect(unknown).toEqual([]);
  });
});

it('each file of lib is imported, because it ships in a bundle', () => {
  // Only bundles contain those of coldStart, by their paths.
  const shipped = globSync('lib/**/*.ts').filter((file) => !matches(file, 'lib/coldStart/*'));
  const unimported = shipped.filter((file) => imports.every(({ target }) => target !== file));

  expect(unimported).toEqual([]);
});

it('only lib/dynamodb creates items, because its functions survive retries and races', () => {
  const creators = files.filter((file) =>
    /^import\b[^'"]*(?:Put|Write)(?:Items?)?Command\b/m.test(readFileSync(file, 'utf8')),
  );
  const inBundles = creators.filter((file) => matches(file, '{functions,lib}/**'));

  expect(inBundles.length).toBeGreaterThan(0);
  const wrong = inBundles.filter((file) => !matches(file, 'lib/dynamodb/**'));
  expect(wrong, 'add items by createOnce').toEqual([]);
});

function importsOf(file: string, text: string) {
  const statements = /^(?:import|export)\b(?:[^'";]*\bfrom)? '([^']+)'|\bimport\('([^']+)'\)/gm;
  return [...text.matchAll(statements)].map(([, from = '', name = from]) => ({
    file,
    target: name.startsWith('.') ? join(dirname(file), name) : name,
  }));
}

/** Whether a path matches one of several globs, and none that begins with `!`. */
function matches(path: string, globs: string): boolean {
  const matched = globs.split(' ').filter((glob) => matchesGlob(path, glob.replace('!', '')));
  return matched.length > 0 && !matched.some((glob) => glob.startsWith('!'));
}
