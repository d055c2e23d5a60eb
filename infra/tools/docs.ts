import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDocsFiles } from '../docs/docsFiles.ts';
import { makeFolder } from '../makeFolder.ts';

const usage = `Writes the documentation page as static files, for any web host and any path on it.

  npm run docs -- [options]

  --out <folder>        where to write it    (docs-site)
  --server <address>    the base address that requests go to, before those of openapi.json
  --help                print this

A host may send <script>.js.gz in place of the script, and let browsers keep it: its name has its hash.

The page holds no API key. Browsers let it call the service if both share an origin, or if corsOrigins
of the stage has the origin of the page.`;

try {
  const { values } = parseArgs({
    options: {
      server: { type: 'string' },
      out: { type: 'string', default: 'docs-site' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) print(usage);
  else await writeDocs(values.out, values.server);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

async function writeDocs(folder: string, url?: string): Promise<void> {
  if (url !== undefined && !(/^https?:/.test(url) && URL.canParse(url))) {
    throw new Error('--server takes a base address such as https://api.example.com/v1.');
  }
  const files = await createDocsFiles(url ? { server: { url, description: 'The service' } } : {});
  await makeFolder(folder);
  for (const [path, { body, gzipped }] of files) {
    const file = join(folder, path === '/' ? 'index.html' : path);
    await writeFile(file, body);
    if (gzipped) await writeFile(`${file}.gz`, gzipped);
  }
  print(`Wrote the documentation page to ${folder}.`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
