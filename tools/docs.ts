import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDocsFiles } from '../docs/page/docsFiles.ts';
import { defineCommand, parseBaseAddress, parseFolder, print } from './command.ts';

export const docs = defineCommand(
  'docs',
  'Writes the documentation page as static files, for any web host and any path on it.',
)
  .option('--out <folder>', 'where to write it', parseFolder, 'docs-site')
  .option(
    '--server <address>',
    'the base address of the service, which the page lists before those of openapi.json',
    parseBaseAddress,
  )
  .addHelpText(
    'after',
    `
The page contains no API key. A browser lets the page call the service if both have the same origin, or if
corsOrigins of the stage contains the origin of the page.`,
  )
  .action(async ({ out, server: url }) => {
    const server = url ? { url, description: 'The service', baseAddress: url } : undefined;
    const files = await createDocsFiles(server);
    await mkdir(out, { recursive: true });
    for (const [path, { body }] of files) {
      await writeFile(join(out, path === '/' ? 'index.html' : path), body);
    }
    print(`Wrote ${files.size} files to ${out}. The page is ${join(out, 'index.html')}.`);
  });
