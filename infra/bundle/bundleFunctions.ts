import { globSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Bundle, bundleFunction } from './bundleFunction.ts';

// Bundles every function, for `cdk synth` and for `npm run bundle`, which shows what is in them.

const projectRoot = join(import.meta.dirname, '..', '..');
// Strict: an option is refused, and makes no folder of its name.
const { positionals } = parseArgs({ allowPositionals: true });
const [folder = join(projectRoot, '.bundles')] = positionals;

const names = globSync('functions/*.ts', { cwd: projectRoot }).map((file) => basename(file, '.ts'));
const bundles = await Promise.all(
  names.map(async (name) => [name, await bundleFunction(name, join(folder, name))] as const),
);
for (const [name, bundle] of bundles) {
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(bundle, null, 2));
  process.stdout.write(describe(name, bundle));
}

function describe(name: string, { bytes, codeCacheBytes, inputs }: Bundle): string {
  const packages = Object.groupBy(Object.entries(inputs), ([file]) => packageOf(file));
  const sizes = Object.entries(packages).map(([part, files = []]) => ({
    part,
    size: files.reduce((sum, [, size]) => sum + size, 0),
  }));
  const lines = sizes
    .sort((a, b) => b.size - a.size)
    .slice(0, 12)
    .map(({ part, size }) => `  ${kb(size)}  ${part}\n`);
  return `${name}: ${kb(bytes).trim()} KB, code cache ${kb(codeCacheBytes).trim()} KB\n${lines.join('')}`;
}

function packageOf(file: string): string {
  return /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(file)?.[1] ?? 'this project';
}

function kb(bytes: number): string {
  return (bytes / 1000).toFixed(1).padStart(7);
}
