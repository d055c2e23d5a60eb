import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDocsPage, docsPaths } from '../docs/docsPage.ts';
import { makeFolder } from '../makeFolder.ts';
import { defineCommand, print, runCommand } from './command.ts';

export const docs = defineCommand('docs')
  .option('--out <folder>', 'where to write it', 'docs-site')
  .addHelpText(
    'after',
    `
The page holds no API key. It sends requests to the servers of openapi.json. Browsers allow that only
if page and service share an origin, because the service sends no CORS headers.`,
  )
  .action(({ out }) => writeDocs(out));

async function writeDocs(folder: string): Promise<void> {
  const page = await createDocsPage();
  await makeFolder(folder);
  for (const path of docsPaths) {
    const { rawPayload } = await page.inject(path);
    await writeFile(join(folder, path === '/' ? 'index.html' : path), rawPayload);
  }
  print(`Wrote the documentation page to ${folder}.`);
}

if (import.meta.main) await runCommand(docs);
