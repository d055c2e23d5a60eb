import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { defineCommand, runCommand } from '../tools/command.ts';
import { bundleHash, bundleOptions, bundlesFolder, projectRoot } from './bundleOptions.ts';

type Bundle = {
  bytes: number;
  hash: string;
  /** Not deployed. `npm run symbolicate` needs it. */
  sourceMap: Uint8Array;
  /** The bytes that each source file contributes. */
  inputs: Record<string, { bytesInOutput: number }>;
};

/** The functions: the files of `functions/`. */
export const functionNames = globSync('functions/*.ts', { cwd: projectRoot })
  .map((file) => basename(file, '.ts'))
  .sort();

/** Writes a function as Lambda loads it: `index.mjs` in a folder of its own. */
export async function bundleFunction(name: string, folder: string): Promise<Bundle> {
  const { metafile, outputFiles } = await build({
    ...bundleOptions(name),
    // The source map names each source relative to this file, which is not written.
    outfile: join(projectRoot, 'index.mjs'),
    sourcemap: 'external',
    write: false,
  });
  const output = metafile.outputs['index.mjs'];
  const [sourceMap, code] = outputFiles.map(({ contents }) => contents);
  if (!output || !sourceMap || !code) throw new Error(`esbuild wrote no bundle of ${name}.`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.mjs'), code);

  return { bytes: output.bytes, hash: bundleHash(code), sourceMap, inputs: output.inputs };
}

export const bundle = defineCommand(
  'bundle',
  'Bundles the functions as they are deployed, and prints their sizes.',
)
  .argument('[folder]', 'where to write the bundles', bundlesFolder)
  .action(async (folder) => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'maps'), { recursive: true });
    for (const name of functionNames) {
      const { hash, sourceMap, bytes, inputs } = await bundleFunction(name, join(folder, name));
      writeFileSync(join(folder, 'maps', `${hash}.map`), sourceMap);
      process.stdout.write(`${name}: ${kb(bytes).trim()} KB, ${hash}\n${largestPackages(inputs)}`);
    }
  });

function largestPackages(inputs: Bundle['inputs']): string {
  const packages = new Map<string, number>();
  for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
    const name = packageOf(file);
    packages.set(name, (packages.get(name) ?? 0) + bytesInOutput);
  }
  return [...packages]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 12)
    .map(([name, bytes]) => `  ${kb(bytes)}  ${name}\n`)
    .join('');
}

function packageOf(file: string): string {
  return /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(file)?.[1] ?? 'this project';
}

function kb(bytes: number): string {
  return (bytes / 1000).toFixed(1).padStart(7);
}

// `npm run bundle` and `cdk synth` run this file.
if (import.meta.main) await runCommand(bundle);
