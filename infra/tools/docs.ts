import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDocsFiles } from '../docs/docsFiles.ts';
import { baseAddress, defineCommand, folder, print, runCommand, UsageError } from './command.ts';

export const docs = defineCommand(
  'docs',
  'Writes the documentation page as static files, for any web host and any path on it.',
)
  .option('--out <folder>', 'where to write it', folder, 'docs-site')
  .option(
    '--server <address>',
    'the base address that requests go to, before those of openapi.json',
    baseAddress,
  )
  .addHelpText(
    'after',
    `
The page holds no API key. Browsers let it call the service if both share an origin, or if corsOrigins
of the stage has the origin of the page.`,
  )
  .action(async ({ out, server: url }) => {
    const files = await createDocsFiles(url ? { url, description: 'The service' } : undefined);
    const paths = new Map([...files].map(([path, file]) => [path.slice(1) || 'index.html', file]));
    const foreign = (await openFolder(out)).find((name) => !paths.has(name));
    if (foreign) {
      throw new UsageError(
        `${out} also has other files, such as ${foreign}. Name an empty folder with --out.`,
      );
    }
    for (const [path, { body }] of paths) await writeFile(join(out, path), body);
    print(`Wrote the documentation page to ${out}.`);
  });

/** Creates a folder, unless it exists, and returns the names of what it has. */
async function openFolder(path: string): Promise<string[]> {
  try {
    await mkdir(path, { recursive: true });
    return await readdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${path} is not usable as a folder (${code}). Name an empty one with --out.`,
    );
  }
}

if (import.meta.main) await runCommand(docs);
