import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';
import { operations } from '../../lib/operations.ts';

export const projectRoot = join(import.meta.dirname, '..', '..');

/** The folder of the bundles that `npm run bundle` writes. */
export const bundlesFolder = join(projectRoot, '.bundles');

/**
 * Replaces each import of a Node.js module by `process.getBuiltinModule`.
 *
 * An ESM import of a Node.js module reads all its exports, and so loads its lazy parts: `node:http` loads undici.
 * This saves 18 to 24 % of a cold start.
 */
const builtinModules: Plugin = {
  name: 'builtinModules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?[a-z0-9_/]+$/ }, ({ path }) =>
      isBuiltin(path) ? { path: path.replace('node:', ''), namespace: 'builtin' } : undefined,
    );
    // esbuild reads each own property of a CommonJS module. This object has none, because it inherits them.
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = Object.create(process.getBuiltinModule('node:${path}'));`,
    }));
  },
};

/** Returns the source of a bundle's entry. Functions that serve requests warm up at the end of the init phase. */
function entryModule(name: string): string {
  const isPart = !(name in operations) && name !== 'fallback';
  const handler = `export { handler } from './functions/${isPart ? 'parts/' : ''}${name}.ts';`;
  if (isPart) return handler;
  return `
    ${handler}
    import { warmUp } from './lib/coldStart/warmUp.ts';
    await warmUp();`;
}

/**
 * Returns the esbuild options that make a file of `functions/` an ES module for Lambda.
 *
 * Only bundles contain the modules of `lib/coldStart/`. What a trick saves is in the comment beside
 * it, here, there and in `lib/dynamodb/client.ts`: `npm run bench` measured it in 70 rounds, on
 * 2 x AMD EPYC (family 26, model 2). A range covers two operations and two shares of a processor.
 */
export function bundleOptions(name: string) {
  return {
    absWorkingDir: projectRoot,
    stdin: { contents: entryModule(name), resolveDir: projectRoot },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // esbuild cannot tree-shake the CommonJS builds of the SDK. ES modules save 24 to 28 % of a cold start.
    mainFields: ['module', 'main'],
    alias: { '@aws-sdk/credential-provider-node': './lib/coldStart/defaultProvider.ts' },
    plugins: [builtinModules],
  } satisfies BuildOptions;
}
