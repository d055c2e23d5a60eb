import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { bundleOptions, projectRoot } from '../../infra/bundle/bundleOptions.ts';
import { petStatuses } from '../../lib/schemas.ts';
import { type MeasuredOperation, measuredOperations } from './requests.ts';

export type Variant = {
  name: string;
  /** Absent for the variant without a bundle. */
  options?(operation: MeasuredOperation): BuildOptions;
};

export const service: Variant = { name: 'this service', options: bundleOptions };

/** What is possible with the SDK: the bundler, client, calls and warm-up of the service, and nothing else. */
const sdkOnly: Variant = {
  name: 'SDK only',
  options(operation) {
    const connections = operation === 'listPets' ? petStatuses.length : 1;
    const contents = `
      export { handler } from './test/bench/peers/sdkOnly.js';
      import { warmUp } from './test/bench/peers/sdkOnly.js';
      await warmUp(${connections});`;
    return { ...bundleOptions(operation), stdin: { contents, resolveDir: projectRoot } };
  },
};

const hono: Variant = {
  name: 'hono',
  options: () => ({
    absWorkingDir: projectRoot,
    entryPoints: ['test/bench/peers/hono.js'],
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // The setting that spares it the CommonJS builds of the SDK.
    mainFields: ['module', 'main'],
    // CommonJS packages need `require` inside an ES module.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  }),
};

/** The first is the service, with which all are compared. */
export const variants: readonly Variant[] = [
  service,
  sdkOnly,
  { name: 'the same source, unbundled' },
  hono,
];

/** The service of another copy of the project, which shows what a change of its source gains. */
export async function serviceOf(folder: string): Promise<Variant> {
  const { bundleOptions } = await import(resolve(folder, 'infra/bundle/bundleOptions.ts'));
  return { name: basename(resolve(folder)), options: bundleOptions };
}

/** Builds the functions, and returns how to find the file whose export is the handler. */
export async function buildVariants(
  variants: readonly Variant[],
  externalPackage?: string,
): Promise<(variant: Variant, operation: MeasuredOperation) => string> {
  const external = externalPackage ? [externalPackage] : [];
  rmSync(buildFolder, { recursive: true, force: true });
  for (const variant of variants) {
    for (const operation of measuredOperations) {
      const outfile = fileOf(variant, operation);
      if (variant.options) await build({ ...variant.options(operation), external, outfile });
      else compileSource(operation, join(buildFolder, variant.name, operation));
    }
  }
  return fileOf;
}

const buildFolder = join(import.meta.dirname, '.build');

function fileOf({ name, options }: Variant, operation: MeasuredOperation): string {
  return join(buildFolder, name, operation, options ? 'index.mjs' : `functions/${operation}.js`);
}

/** Writes the source file by file, next to its `node_modules`. */
function compileSource(operation: MeasuredOperation, outDir: string): void {
  const options = ['--ignoreConfig', '--noCheck', '--rewriteRelativeImportExtensions'];
  const target = ['--module', 'nodenext', '--target', 'es2024', '--removeComments'];
  const files = [`functions/${operation}.ts`, '--rootDir', '.', '--outDir', outDir];
  const cwd = projectRoot;
  execFileSync('node_modules/.bin/tsc', [...options, ...target, ...files], {
    cwd,
    stdio: 'inherit',
  });
  symlinkSync(join(projectRoot, 'node_modules'), join(outDir, 'node_modules'));
}
