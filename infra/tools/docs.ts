import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { docsFiles } from '../docs/docsFiles.ts';

const usage = `Writes the documentation page as static files, for any web host and any path on it.

  npm run docs -- [options]

  --out <folder>  where to write it    (docs-site)
  --help          print this

The page holds no API key. What is tried from it goes to the servers of openapi.json; browsers allow
that only where page and service share one origin, because the service sends no CORS headers.`;

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
  for (const [path, { read }] of docsFiles()) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, await read());
  }
  print(`Wrote the documentation page to ${folder}.`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
