import { hash } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { apiFunctionNames } from '../core/apiMethods.ts';
import { bundleOptions, projectRoot } from './bundleOptions.ts';

/** The functions of the parts: the files of `functions/parts/`. */
const partFunctions: string[] = [
  'heartbeat', // monitoring
];

/** The functions of the operations, the fallback, and those of the parts. */
export const functionNames = [...apiFunctionNames(), ...partFunctions];

/**
 * Writes a function as Lambda loads it: `index.mjs` in a folder of its own.
 *
 * Returns its release, which is a hash of its code, its size, and a source map to read stack traces with. The
 * source map is not deployed.
 */
export async function bundleFunction(name: string, folder: string) {
  const { outputFiles } = await build({
    ...bundleOptions(name),
    // The source map names each source relative to this path. esbuild writes no file there.
    outfile: join(projectRoot, 'index.mjs'),
    sourcemap: 'external',
    write: false,
  });
  const [sourceMap, code] = outputFiles.map(({ contents }) => contents);
  if (!sourceMap || !code) throw new Error(`esbuild wrote no bundle of ${name}.`);
  const file = join(folder, 'index.mjs');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, code);
  // The CDK copies the modes into the zip, and Lambda's user must be able to read the code.
  chmodSync(folder, 0o755);
  chmodSync(file, 0o644);
  const release = hash('sha256', code).slice(0, 12);
  return { name, folder, release, bytes: code.byteLength, sourceMap };
}

/** Empties a folder, and writes each function to a folder in it. */
export function bundleFunctions(folder: string) {
  rmSync(folder, { recursive: true, force: true });
  return Promise.all(functionNames.map((name) => bundleFunction(name, join(folder, name))));
}
