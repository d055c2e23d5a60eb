import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';

type SourceFile = {
  file: string;
  source: string;
  /** Paths from the project's root, and names of packages. */
  imports: string[];
  /** Without the imports of types, which are gone when the code runs. */
  valueImports: string[];
};

const files: SourceFile[] = globSync('{client/src,functions,infra,lib}/**/*.ts').map((file) => {
  const source = readFileSync(file, 'utf8');
  const withoutTypes = source.replaceAll(/^import type [^;]+;$/gm, '');
  const valueImports = importsOf(file, withoutTypes);
  return { file, source, imports: importsOf(file, source), valueImports };
});
const byName = new Map(files.map((each) => [each.file, each]));

/** The files that make the CloudFormation templates. The rest of infra runs on a laptop or in CI. */
const cdk = /^infra\/(constructs\/|[^/]+$)/;

/** Returns `importer → imported` for each import between files that match. */
function importsBetween(from: RegExp, to: RegExp): string[] {
  return files
    .filter(({ file }) => from.test(file))
    .flatMap(({ file, imports }) =>
      imports.filter((path) => to.test(path)).map((path) => `${file} → ${path}`),
    );
}

/** Returns everything that loads with a file: files and packages. */
function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  for (const path of byName.get(file)?.valueImports ?? []) {
    if (loaded.has(path)) continue;
    loaded.add(path);
    loadedWith(path, loaded);
  }
  return loaded;
}

/** Returns the first cycle that a file leads to. */
function findCycle(file: string, trail: string[] = [], done = new Set<string>()): string[] {
  if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
  if (done.has(file)) return [];
  done.add(file);
  for (const next of byName.get(file)?.imports ?? []) {
    const cycle = findCycle(next, [...trail, file], done);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

describe('imports', () => {
  it('are found', () => {
    expect(files.length).toBeGreaterThan(40);
    expect(importsBetween(/^functions\/createPet/, /^lib\//)).toContain(
      'functions/createPet.ts → lib/pets/petStore.ts',
    );
    expect([...loadedWith('functions/createPet.ts')]).toContain('@aws-sdk/client-dynamodb');
  });

  it.each([
    ['functions', 'anything but lib', /^functions\//, /^(?!lib\/)/],
    ['lib', 'functions, infra or the client', /^lib\//, /^(functions|infra|client)\//],
    [
      'the CDK part',
      'functions, infra/local or infra/tools',
      cdk,
      /^(functions|infra\/(local|tools))\//,
    ],
    ['the client', 'anything outside its package', /^client\//, /^(?!client\/src\/)/],
    ['other folders', 'the client', /^(?!client\/)/, /^client\//],
    ['other folders', 'lib/lambda, which only the bundler uses', /^/, /^lib\/lambda\//],
  ])('of %s never name %s', (_importer, _imported, from, to) => {
    expect(importsBetween(from, to)).toEqual([]);
  });

  it.each([
    ['aws-cdk-lib', 'the CDK part', /^aws-cdk-lib/, cdk],
    ['@middy', 'lib/http', /^@middy\//, /^lib\/http\//],
    [
      '@aws-sdk',
      'folders that call AWS',
      /^@aws-sdk\//,
      /^(lib\/(apiKeys|dynamodb|heartbeat|lambda|pets|release)|infra\/(local|tools))\//,
    ],
  ])('of %s occur only in %s', (_package, _place, packageName, place) => {
    const importers = files.filter(({ imports }) => imports.some((path) => packageName.test(path)));

    expect(importers.length).toBeGreaterThan(0);
    expect(importers.map(({ file }) => file).filter((file) => !place.test(file))).toEqual([]);
  });

  it('of the CDK part load only plain tables of lib', () => {
    const importers = files.filter(({ file }) => cdk.test(file));
    const tables = importers.flatMap(({ valueImports }) => valueImports).filter(isInLib);
    const notPlain = [...new Set(tables)].flatMap((table) =>
      [...loadedWith(table)]
        // lib/config.ts reads the environment as it loads.
        .filter((path) => path === 'lib/config.ts' || (!isInLib(path) && !path.startsWith('zod')))
        .map((path) => `${table} loads ${path}`),
    );

    expect(tables).toContain('lib/operations.ts');
    expect(tables).not.toContain('lib/config.ts');
    expect(notPlain).toEqual([]);
  });

  it('form no cycle', () => {
    expect(files.map(({ file }) => findCycle(file)).filter(({ length }) => length > 0)).toEqual([]);
  });

  it('name the file that defines what they import, because only the client re-exports', () => {
    const reexporting = files.filter(({ source }) => /^export .* from /m.test(source));

    expect(reexporting.map(({ file }) => file)).toEqual(['client/src/index.ts']);
  });
});

describe('test/contract', () => {
  it('imports only the form of a cursor from the project, and the local service on demand', () => {
    const outside = globSync('test/contract/*.ts').flatMap((file) =>
      importsOf(file, readFileSync(file, 'utf8'))
        .filter((path) => path.includes('/') && !/^(test\/contract\/|node:|@)/.test(path))
        .map((path) => `${file} → ${path}`),
    );

    expect(outside.sort()).toEqual([
      // In a large store, only a made-up cursor leads to the new pets without a long walk.
      'test/contract/listPets.test.ts → lib/pets/cursor.ts',
      'test/contract/serviceUnderTest.ts → test/helpers/gateway.ts',
    ]);
    // A static import would start the local service even if the tests call another address.
    expect(readFileSync('test/contract/serviceUnderTest.ts', 'utf8')).toContain(
      "await import('../helpers/gateway.ts')",
    );
  });
});

describe('source files', () => {
  it('have different names', () => {
    // Except for the client, a package of its own, and commands, which are named after npm scripts.
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    const commands = Object.values<string>(scripts).join(' ');
    const ownFiles = files.filter(
      ({ file }) => !file.startsWith('client/') && !commands.includes(file),
    );
    const sameName = [...Map.groupBy(ownFiles, ({ file }) => basename(file)).values()];

    expect(
      sameName.filter(({ length }) => length > 1).map((each) => each.map(({ file }) => file)),
    ).toEqual([]);
  });
});

/** Returns the paths and packages that the source text of a file imports. */
function importsOf(file: string, source: string): string[] {
  return [...source.matchAll(/(?:from |import |import\()['"`]([^'"`]+)/g)].map(
    ([, specifier = '']) =>
      specifier.startsWith('.') ? join(dirname(file), specifier) : specifier,
  );
}

function isInLib(path: string): boolean {
  return path.startsWith('lib/');
}
