import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleOptions } from './bundleOptions.ts';
import { codeCacheName } from './codeCacheName.ts';

const projectRoot = join(import.meta.dirname, '..', '..');

/** Part of what V8 compares before it takes a code cache; Lambda's own start script has it. */
const nodeFlags = ['--expose-gc'];

export type Bundle = {
  /** Of all that decides what is deployed: the same code gives the same hash, anywhere. */
  hash: string;
  bytes: number;
  codeCacheBytes: number;
  /** The files that went into it, with the bytes that are left of each, the largest first. */
  inputs: Record<string, number>;
};

/**
 * Writes a function as Lambda gets it: the file that Lambda loads, the bundle, and its code cache.
 *
 * V8's code cache is never twice the same, so the hash is of the text and of Node.js.
 */
export async function bundleFunction(
  name: string,
  folder: string,
  /** Other modules for some, for a benchmark that asks what those cost. */
  alias: Record<string, string> = {},
): Promise<Bundle> {
  const bundleFile = join(folder, 'bundle.js');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const options = bundleOptions(name);
  const { metafile } = await build({
    ...options,
    alias: { ...options.alias, ...alias },
    outfile: bundleFile,
  });
  cpSync(join(projectRoot, 'lib', 'lambda', 'index.mjs'), join(folder, 'index.mjs'));
  await rehearse(name, folder);

  const [output] = Object.values(metafile.outputs);
  const inputs = Object.entries(output?.inputs ?? {}).map(
    ([file, { bytesInOutput }]) => [file, bytesInOutput] as const,
  );
  const hash = createHash('sha256').update(`${process.version} ${process.arch} `);
  for (const file of ['index.mjs', 'bundle.js']) hash.update(readFileSync(join(folder, file)));
  return {
    hash: hash.digest('hex'),
    bytes: statSync(bundleFile).size,
    codeCacheBytes: statSync(join(folder, codeCacheName)).size,
    inputs: Object.fromEntries(inputs.sort(([, a], [, b]) => b - a)),
  };
}

async function rehearse(name: string, folder: string): Promise<void> {
  const script = join(import.meta.dirname, 'rehearse.ts');
  const child = spawn(process.execPath, [...nodeFlags, script, name, folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0) throw new Error(`The rehearsal of ${name} failed.`);
}
