import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { bundleOptions } from '../../infra/bundle/bundleOptions.ts';
import type { MeasuredOperation } from './events.ts';

const folder = import.meta.dirname;

/** In place of the connection. */
const canned = { '@smithy/node-http-handler': join(folder, 'warm', 'CannedHttpHandler.js') };

type WarmVariant = { name: string; options(operation: MeasuredOperation): BuildOptions };

function peer(name: string): WarmVariant {
  return {
    name,
    options: () => ({
      entryPoints: [join(folder, 'peers', `${name}.js`)],
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      target: 'node24',
      mainFields: ['module', 'main'],
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    }),
  };
}

/** The service's own way of bundling, for a handler in any file, and as a module. */
function likeTheService(contents: string): BuildOptions {
  const { banner, footer, stdin, ...options } = bundleOptions('');
  return { ...options, format: 'esm', stdin: { ...stdin, contents } };
}

export const warmVariants: readonly WarmVariant[] = [
  {
    name: 'bare',
    options: () => likeTheService(`export { handler } from './test/bench/warm/bare.js';`),
  },
  {
    name: 'service',
    options: (operation) =>
      likeTheService(`export { handler } from './functions/${operation}.ts';`),
  },
  peer('hono'),
  peer('powertools'),
  peer('express'),
];

/** Builds a variant and returns its file. */
export async function buildWarm(
  { name, options }: WarmVariant,
  operation: MeasuredOperation,
): Promise<string> {
  const outfile = join(folder, '.build', 'warm', `${name}-${operation}.mjs`);
  const { alias, ...others } = options(operation);
  await build({ ...others, alias: { ...alias, ...canned }, outfile });
  return outfile;
}
