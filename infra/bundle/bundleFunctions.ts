import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { defineCommand, runCommand } from '../tools/command.ts';
import { bundleOptions, bundlesFolder, projectRoot } from './bundleOptions.ts';

type Bundle = {
  bytes: number;
  /** Not deployed: it maps the stack traces of the bundle to the sources. */
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
  return { bytes: output.bytes, sourceMap, inputs: output.inputs };
}

export const bundle = defineCommand(
  'bundle',
  'writes the functions as they are deployed, and prints their sizes and largest packages',
)
  .argument('[folder]', 'where to write the bundles', bundlesFolder)
  .option('--source-maps', 'write <function>.map beside the bundles, to read stack traces')
  .action(async (folder, { sourceMaps = false }) => {
    rmSync(folder, { recursive: true, force: true });
    for (const name of functionNames) {
      const { sourceMap, bytes, inputs } = await bundleFunction(name, join(folder, name));
      if (sourceMaps) writeFileSync(join(folder, `${name}.map`), sourceMap);
      process.stdout.write(`${name}: ${kb(bytes)} KB, of which ${largestPackages(inputs)}\n`);
    }
  });

function largestPackages(inputs: Bundle['inputs']): string {
  const files = Object.entries(inputs);
  const packages = Map.groupBy(files, ([file]) => packageOf(file));
  return [...packages]
    .map(([name, ofPackage]) => ({
      name,
      bytes: ofPackage.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0),
    }))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 4)
    .map(({ name, bytes }) => `${name} ${kb(bytes)}`)
    .join(', ');
}

function packageOf(file: string): string {
  return /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(file)?.[1] ?? 'this project';
}

function kb(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

// `npm run bundle` and the app's command in `cdk.json` run this file.
if (import.meta.main) await runCommand(bundle);
