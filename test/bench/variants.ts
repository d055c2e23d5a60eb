import { basename, join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { bundleOptions } from '../../infra/bundle/bundleOptions.ts';
import { timeouts } from '../../lib/config.ts';
import { petStatuses } from '../../lib/schemas.ts';
import type { MeasuredRequests } from './requests.ts';

type MeasuredOperation = MeasuredRequests['operation'];

type Variant = { name: string; options(operation: MeasuredOperation): BuildOptions };

const peersFolder = join(import.meta.dirname, 'peers');

export const service: Variant = { name: 'this service', options: bundleOptions };

/** The bundler, calls and client settings of the service, without its stack and schemas. */
export const sdkOnly: Variant = {
  name: 'SDK only',
  options(operation) {
    const { stdin, ...options } = bundleOptions(operation);
    const connections = operation === 'listPets' ? petStatuses.length : 1;
    return {
      ...options,
      entryPoints: [join(peersFolder, 'sdkOnly.js')],
      define: { timeouts: JSON.stringify(timeouts), connections: String(connections) },
    };
  },
};

const replaceStack: Plugin = {
  name: 'replaceStack',
  setup({ onResolve }) {
    const path = join(peersFolder, 'hono.ts');
    onResolve({ filter: /\/http\/handler\.ts$/ }, () => ({ path }));
  },
};

/** The service with a router: the same bundle, in which hono replaces middy. */
export const hono: Variant = {
  name: 'hono',
  options(operation) {
    const { plugins, ...options } = bundleOptions(operation);
    return { ...options, plugins: [replaceStack, ...plugins] };
  },
};

/** The service of another copy of the project, which shows what a change of its source gains. */
export async function serviceOf(folder: string): Promise<Variant> {
  const { bundleOptions } = await import(resolve(folder, 'infra/bundle/bundleOptions.ts'));
  return { name: basename(resolve(folder)), options: bundleOptions };
}

export const buildFolder = join(import.meta.dirname, '.build');

/** Builds a function, and returns its file. */
export async function buildFunction({ name, options }: Variant, operation: MeasuredOperation) {
  const outfile = join(buildFolder, name, operation, 'index.mjs');
  await build({ ...options(operation), outfile });
  return outfile;
}
