import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { bundleOptions } from '../../infra/bundle/bundleOptions.ts';
import type { MeasuredOperation } from './events.ts';

const folder = import.meta.dirname;

export const warmBuildFolder = join(folder, '.build', 'warm');

/** In place of the connection. */
const canned = { '@smithy/node-http-handler': join(folder, 'warm', 'CannedHttpHandler.js') };

export type WarmVariant = {
  name: string;
  description: string;
  /** Calls DynamoDB and answers nothing. */
  isCallsAlone?: true;
  options(operation: MeasuredOperation): BuildOptions;
};

function peer(name: string, description: string): WarmVariant {
  return {
    name,
    description,
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
  return {
    ...options,
    format: 'esm',
    stdin: { ...stdin, contents: `import './lib/lambda/plainEnvironment.ts'; ${contents}` },
  };
}

export const warmVariants: readonly WarmVariant[] = [
  {
    name: 'bare',
    description: "the DynamoDB calls alone, through the SDK's client",
    isCallsAlone: true,
    options: () => likeTheService(`export { handler } from './test/bench/warm/bare.js';`),
  },
  {
    name: 'client',
    description: 'the DynamoDB calls alone, through the client of this service',
    isCallsAlone: true,
    options: () => likeTheService(`export { handler } from './test/bench/warm/ownClient.js';`),
  },
  {
    name: 'service',
    description: 'this service',
    options: (operation) =>
      likeTheService(`export { handler } from './functions/${operation}.ts';`),
  },
  peer('hono', 'hono with its adapter `hono/aws-lambda`'),
  peer('powertools', "Powertools' event handler"),
  peer('express', 'express with `@codegenie/serverless-express`'),
];

/** Builds a variant and returns its file. */
export async function buildWarm(
  { name, options }: WarmVariant,
  operation: MeasuredOperation,
): Promise<string> {
  const outfile = join(warmBuildFolder, `${name}-${operation}.mjs`);
  const { alias, ...others } = options(operation);
  await build({ ...others, alias: { ...alias, ...canned }, outfile });
  return outfile;
}
