import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';

type SourceFile = { file: string; source: string; imports: string[] };

const files: SourceFile[] = globSync('{client/src,functions,infra,lib}/**/*.ts').map((file) => {
  const source = readFileSync(file, 'utf8');
  const specifiers = [...source.matchAll(/(?:from |import |import\()['"`]([^'"`]+)/g)];
  const imports = specifiers.map(([, specifier = '']) =>
    specifier.startsWith('.') ? join(dirname(file), specifier) : specifier,
  );
  return { file, source, imports };
});

/** `importer → imported` for each import of a file matching `from` that matches `to`. */
function importsBetween(from: RegExp, to: RegExp): string[] {
  return files
    .filter(({ file }) => from.test(file))
    .flatMap(({ file, imports }) =>
      imports.filter((path) => to.test(path)).map((path) => `${file} → ${path}`),
    );
}

/** The files that import what matches. */
function importersOf(to: RegExp): string[] {
  return files
    .filter(({ imports }) => imports.some((path) => to.test(path)))
    .map(({ file }) => file);
}

const cdkPart = /^infra\/(constructs\/|[^/]+$)/;

describe('imports', () => {
  it('are found at all', () => {
    expect(files.length).toBeGreaterThan(40);
    expect(importsBetween(/^functions\/createPet/, /^lib\//)).toContain(
      'functions/createPet.ts → lib/pets/petStore.ts',
    );
  });

  it('of functions go to lib alone', () => {
    expect(importsBetween(/^functions\//, /^(?!lib\/)/)).toEqual([]);
  });

  it('of lib go neither to functions nor to infra', () => {
    expect(importsBetween(/^lib\//, /^(functions|infra)\//)).toEqual([]);
  });

  it('of what Lambda alone has stand in the bundles alone', () => {
    expect(importsBetween(/./, /^lib\/lambda\//)).toEqual([]);
    expect(files.some(({ file }) => file === 'lib/lambda/warmUp.ts')).toBe(true);
  });

  it('of the CDK part go to plain tables and types of lib, and to no function', () => {
    const plain = /^lib\/(errors|config|metricDimensions|operations|dynamodb\/tables)\.ts$/;

    expect(importsBetween(cdkPart, /^(functions|infra\/(local|tools))\//)).toEqual([]);
    expect(
      importsBetween(cdkPart, /^lib\//).filter((arrow) => !plain.test(arrow.split(' → ')[1] ?? '')),
    ).toEqual([]);
  });

  it('of the client go to the client alone, which is published by itself', () => {
    expect(importsBetween(/^client\//, /^(?!client\/src\/)/)).toEqual([]);
    expect(importsBetween(/^(?!client\/)/, /^client\//)).toEqual([]);
  });

  it('of aws-cdk-lib stand in the CDK part alone', () => {
    expect(importersOf(/^aws-cdk-lib/).filter((file) => !cdkPart.test(file))).toEqual([]);
  });

  it('of @middy stand in the middleware stack alone', () => {
    const stack = /^lib\/http\/(handler\.ts|middlewares\/)/;

    expect(importersOf(/^@middy\//).filter((file) => !stack.test(file))).toEqual([]);
  });

  it('of Powertools stand where logs and metrics are made', () => {
    expect(importersOf(/^@aws-lambda-powertools\//).sort()).toEqual([
      'lib/http/handler.ts',
      'lib/logging.ts',
      'lib/metrics.ts',
    ]);
  });

  it('of @aws-sdk are only in the rooms that call AWS', () => {
    const rooms = /^(lib\/(apiKeys|dynamodb|lambda|pets|release)|infra\/(local|tools))\//;

    expect(importersOf(/^@aws-sdk\//).filter((file) => !rooms.test(file))).toEqual([]);
    expect(importersOf(/^@aws-sdk\//)).toContain('lib/pets/petStore.ts');
  });

  it('make no cycle', () => {
    const imported = new Map(files.map(({ file, imports }) => [file, imports]));
    const cycles: string[] = [];
    const visit = (file: string, trail: string[]) => {
      if (trail.includes(file)) cycles.push([...trail, file].join(' → '));
      else for (const next of imported.get(file) ?? []) visit(next, [...trail, file]);
    };
    for (const { file } of files) visit(file, []);

    expect(cycles).toEqual([]);
  });

  it('go to where a name is defined, for no file only exports again', () => {
    const exportingAgain = files.filter(({ source }) => /^export .* from /m.test(source));

    // A package has one door.
    expect(exportingAgain.map(({ file }) => file)).toEqual(['client/src/index.ts']);
  });
});
