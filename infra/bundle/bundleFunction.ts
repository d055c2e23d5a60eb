import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { bundleOptions } from './bundleOptions.ts';

const entry = join(import.meta.dirname, '..', '..', 'lib', 'lambda', 'index.mjs');

/** Part of what V8 compares before it takes a code cache: Lambda's start script has it, too. */
const nodeFlags = ['--expose-gc'];

/**
 * Writes a function as Lambda gets it: the file that Lambda loads, the bundle and its code cache.
 *
 * Returns what esbuild tells about the bundle.
 */
export async function bundleFunction(name: string, folder: string): Promise<Metafile> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({ ...bundleOptions(name), outfile: join(folder, 'bundle.js') });
  cpSync(entry, join(folder, 'index.mjs'));

  const rehearsal = join(import.meta.dirname, 'rehearse.ts');
  const child = spawn(process.execPath, [...nodeFlags, rehearsal, name, folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0) throw new Error(`The rehearsal of ${name} failed.`);
  return metafile;
}
