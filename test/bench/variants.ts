import { rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { bundleOptions, projectRoot } from '../../infra/bundle/bundleOptions.ts';
import { petStatuses } from '../../lib/schemas.ts';
import { type MeasuredOperation, measuredOperations } from './requests.ts';

export type Variant = {
  name: string;
  options(operation: MeasuredOperation): BuildOptions;
};

export const service: Variant = { name: 'this service', options: bundleOptions };

/** The bundler, client, calls and warm-up of the service, and nothing else. It shows what the SDK itself costs. */
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

const replaceStack: Plugin = {
  name: 'replaceStack',
  setup({ onResolve }) {
    const path = join(projectRoot, 'test/bench/peers/hono.ts');
    onResolve({ filter: /\/http\/handler\.ts$/ }, () => ({ path }));
  },
};

/** The service with a router: the same bundle, in which hono replaces middy. */
const hono: Variant = {
  name: 'hono',
  options(operation) {
    const { plugins, ...options } = bundleOptions(operation);
    return { ...options, plugins: [replaceStack, ...plugins] };
  },
};

/** The first is the service, with which all are compared. */
export const variants: readonly Variant[] = [service, sdkOnly, hono];

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
      await build({ ...variant.options(operation), external, outfile });
    }
  }
  return fileOf;
}

const buildFolder = join(import.meta.dirname, '.build');

function fileOf({ name }: Variant, operation: MeasuredOperation): string {
  return join(buildFolder, name, operation, 'index.mjs');
}
