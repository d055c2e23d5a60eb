import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDocsFiles } from '../docs/docsFiles.ts';
import { makeFolder } from '../makeFolder.ts';

const usage = `Writes the documentation page as static files, for any web host and any path on it.

  npm run docs -- [options]

  --out <folder>  where to write it    (docs-site)
  --help          print this

A host may send <script>.js.gz in place of the script, and let browsers keep it: its name has its hash.

The page holds no API key. It sends requests to the servers of openapi.json. Browsers allow that only
if page and service share an origin, because the service sends no CORS headers.`;

try {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: 'docs-site' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) print(usage);
  else await writeDocs(values.out);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

async function writeDocs(folder: string): Promise<void> {
  const files = await createDocsFiles();
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
