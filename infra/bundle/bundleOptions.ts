import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';
import { operations } from '../../lib/operations.ts';

const projectRoot = join(import.meta.dirname, '..', '..');

/**
 * Takes Node.js's own modules from `process.getBuiltinModule` instead of importing them.
 *
 * An ESM import reads every export of a module, and so loads what nobody asked for: with
 * `node:http` all of undici.
 */
const builtinsAtHand: Plugin = {
  name: 'builtinsAtHand',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?[a-z_/]+$/ }, ({ path }) =>
      isBuiltin(path) ? { path: path.replace('node:', ''), namespace: 'builtin' } : undefined,
    );
    // For files that a function does not have: it is loaded when it is called, which is never.
    onLoad({ filter: /^fs\/promises$/, namespace: 'builtin' }, () => ({
      contents: `
        const fs = () => process.getBuiltinModule('node:fs/promises');
        export const readFile = (...input) => fs().readFile(...input);`,
    }));
    // An object that inherits has no properties of its own, which esbuild would copy one by one.
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = Object.create(process.getBuiltinModule('node:${path}'));`,
    }));
  },
};

/** Whether it is a function of the API; it warms up for its first request. */
function answersRequests(name: string): boolean {
  return name in operations || name === 'fallback';
}

function entry(name: string): string {
  const handler = `
    export { handler } from './functions/${name}.ts';`;
  if (!answersRequests(name)) return handler;
  return `
    ${handler}
    import { warmUp as warmUpFor } from './lib/lambda/warmUp.ts';
    export const warmUp = () => warmUpFor('${name}');`;
}

/**
 * How a file of `functions/` becomes the text that Lambda runs.
 *
 * What each line gains stands in docs/performance.md. What a function has otherwise than a laptop
 * stands in `lib/lambda/`, and nothing but a bundle has it.
 */
export function bundleOptions(name: string) {
  return {
    absWorkingDir: projectRoot,
    stdin: { contents: entry(name), resolveDir: projectRoot },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    // The ESM builds of the SDK: its CommonJS builds cannot be tree-shaken.
    mainFields: ['module', 'main'],
    alias: {
      '@aws-sdk/credential-provider-node': './lib/lambda/environmentCredentials.ts',
      '@smithy/core/event-streams': './lib/lambda/noEventStreams.ts',
    },
    plugins: [builtinsAtHand],
    metafile: true,
    // One function that is called with a CommonJS `module`, for `lib/lambda/index.mjs`.
    banner: { js: '(function (module) {' },
    footer: { js: '})' },
  } satisfies BuildOptions;
}
