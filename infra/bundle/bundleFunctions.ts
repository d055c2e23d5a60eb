import { globSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { defineCommand, runCommand } from '../tools/command.ts';
import { bundleOptions, projectRoot } from './bundleOptions.ts';

type Bundle = {
  bytes: number;
  /** The bytes that each source file contributes. */
  inputs: Record<string, number>;
};

/** The functions: the files of `functions/`. */
export const functionNames = globSync('functions/*.ts', { cwd: projectRoot })
  .map((file) => basename(file, '.ts'))
  .sort();

/** Writes a function as Lambda loads it: `index.mjs` in a folder of its own. */
export async function bundleFunction(name: string, folder: string): Promise<Bundle> {
  rmSync(folder, { recursive: true, force: true });
  const options = { ...bundleOptions(name), outfile: join(folder, 'index.mjs') };
  const [output] = Object.values((await build(options)).metafile.outputs);
  if (!output) throw new Error(`esbuild wrote no bundle of ${name}.`);

  const inputs = Object.entries(output.inputs).map(([file, { bytesInOutput }]) => [
    file,
    bytesInOutput,
  ]);
  return { bytes: output.bytes, inputs: Object.fromEntries(inputs) };
}

export const bundle = defineCommand('bundle')
  .argument('[folder]', 'where to write the bundles', join(projectRoot, '.bundles'))
  .action(async (folder) => {
    rmSync(folder, { recursive: true, force: true });
    for (const name of functionNames) {
      const bundle = await bundleFunction(name, join(folder, name));
      process.stdout.write(`${name}: ${kb(bundle.bytes).trim()} KB\n${largestPackages(bundle)}`);
    }
  });

function largestPackages({ inputs }: Bundle): string {
  const packages = new Map<string, number>();
  for (const [file, bytes] of Object.entries(inputs)) {
    const name = packageOf(file);
    packages.set(name, (packages.get(name) ?? 0) + bytes);
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
