import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFunctions } from '../infra/bundle/bundleFunctions.ts';
import { bundlesFolder } from '../infra/bundle/bundleOptions.ts';
import { defineCommand, print } from './command.ts';

export const bundle = defineCommand(
  'bundle',
  'Writes the functions as they are deployed, and prints the release and the size of each.',
)
  .argument('[folder]', 'where to write the bundles', bundlesFolder)
  .option('--source-maps', 'write <function>.map beside the bundles, to read stack traces')
  .action(async (folder, { sourceMaps = false }) => {
    for (const { name, release, bytes, sourceMap } of await bundleFunctions(folder)) {
      if (sourceMaps) writeFileSync(join(folder, `${name}.map`), sourceMap);
      print(`${name}: ${release}, ${(bytes / 1000).toFixed(1)} KB`);
    }
  });
