import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type BuildOptions, build, transform } from 'esbuild';
import { bundleOptions, projectRoot } from '../../infra/bundle/bundleOptions.ts';
import { petStatuses } from '../../lib/schemas.ts';
import { type MeasuredOperation, measuredOperations } from './requests.ts';

/** A built function: what Lambda has as `LAMBDA_TASK_ROOT` and `_HANDLER`. */
export type Deployment = { taskRoot: string; handler: string };

export type Variant = {
  name: string;
  description: string;
  /** Whether it does not serve requests, and is only a floor. */
  isEmpty?: boolean;
  /** Absent for the variant without a bundle. */
  options?(operation: MeasuredOperation): BuildOptions;
};

const service: Variant = { name: 'service', description: 'this service', options: bundleOptions };

const plainOptions = {
  absWorkingDir: projectRoot,
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // CommonJS packages need `require` inside an ES module.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
} as const satisfies BuildOptions;

/** A peer has the one setting that spares it the CommonJS builds of the SDK. */
function peer(name: string, description: string): Variant {
  const entryPoints = [`test/bench/peers/${name}.js`];
  const options = () => ({ ...plainOptions, mainFields: ['module', 'main'], entryPoints });
  return { name, description, options };
}

/** What is possible with the SDK: the bundler, client, calls and warm-up of the service, and nothing else. */
const sdkOnly: Variant = {
  name: 'sdkOnly',
  description: 'SDK only',
  options(operation) {
    const connections = operation === 'listPets' ? petStatuses.length : 1;
    const contents = `
      export { handler } from './test/bench/peers/sdkOnly.js';
      import { warmUp } from './test/bench/peers/sdkOnly.js';
      await warmUp(${connections});`;
    return { ...bundleOptions(operation), stdin: { contents, resolveDir: projectRoot } };
  },
};

const frameworks = [
  peer('hono', 'hono, with `hono/aws-lambda`'),
  peer('powertools', "Powertools' event handler"),
  peer('express', 'express, with `@codegenie/serverless-express`'),
];

export const warmVariants: readonly Variant[] = [service, sdkOnly, ...frameworks];

export const coldVariants: readonly Variant[] = [
  service,
  sdkOnly,
  { name: 'unbundled', description: 'the same source, unbundled' },
  {
    name: 'esbuild',
    description: "the same source, esbuild's defaults",
    options: (operation) => ({ ...plainOptions, entryPoints: [`functions/${operation}.ts`] }),
  },
  ...frameworks,
  peer('raw', 'signed by hand, without the SDK'),
  { ...peer('empty', 'an empty handler'), isEmpty: true },
];

/** The service of another copy of the project, which shows what a change of its source gains. */
export async function serviceOf(folder: string): Promise<Variant> {
  const { bundleOptions } = await import(resolve(folder, 'infra/bundle/bundleOptions.ts'));
  const name = basename(folder);
  return { name, description: `the service in ${name}`, options: bundleOptions };
}

/** Builds all variants, with packages replaced by other modules, and returns how to find one. */
export async function buildVariants(
  variants: readonly Variant[],
  replacedPackages: Record<string, string> = {},
): Promise<(variant: Variant, operation: MeasuredOperation) => Deployment> {
  const buildFolder = join(import.meta.dirname, '.build');
  rmSync(buildFolder, { recursive: true, force: true });
  const deployments = new Map<string, Deployment>();
  for (const { name, options } of variants) {
    for (const operation of measuredOperations) {
      const folder = join(buildFolder, name, operation);
      mkdirSync(folder, { recursive: true });
      if (options) {
        const { alias, ...others } = options(operation);
        const outfile = join(folder, 'index.mjs');
        await build({ ...others, alias: { ...alias, ...replacedPackages }, outfile });
      } else {
        await transpileSource(folder);
      }
      const handler = options ? 'index.handler' : `functions/${operation}.handler`;
      deployments.set(`${name} ${operation}`, { taskRoot: folder, handler });
    }
  }
  return ({ name }, operation) => deployments.get(`${name} ${operation}`) ?? assert.fail(name);
}

/** Writes the source file by file, next to its `node_modules`. */
async function transpileSource(folder: string): Promise<void> {
  for (const file of globSync('{functions,lib}/**/*.ts', { cwd: projectRoot })) {
    const source = readFileSync(join(projectRoot, file), 'utf8');
    const { code } = await transform(source, { loader: 'ts', target: 'node24' });
    const target = join(folder, file.replace(/ts$/, 'js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code.replaceAll(/(from "\..+)\.ts"/g, '$1.js"'));
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
}
