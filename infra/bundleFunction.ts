import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';

const projectRoot = join(import.meta.dirname, '..');

/** How a file of `functions/` becomes the bundle that Lambda runs. */
export function bundleOptions(name: string) {
  return {
    absWorkingDir: projectRoot,
    entryPoints: [`functions/${name}.ts`],
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
  } satisfies BuildOptions;
}
