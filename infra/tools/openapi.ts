import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { breakingChanges } from '../openapi/breakingChanges.ts';
import { errorsChapter } from '../openapi/errorsChapter.ts';
import { createOpenApiDocument } from '../openapi/openApiDocument.ts';

const file = 'openapi.json';

/** A chapter of the documentation, generated from the catalogue of errors. */
const errorsFile = 'docs/guide/errors.md';

/** The document that clients were last given. The current one must not break them. */
const releasedFile = 'openapi.released.json';

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    release: { type: 'boolean', default: false },
  },
});

const text = `${JSON.stringify(createOpenApiDocument(), null, 2)}\n`;
if (values.check) await check();
else await Promise.all([writeFile(file, text), writeFile(errorsFile, errorsChapter())]);
if (values.release) await writeFile(releasedFile, text);

async function check(): Promise<void> {
  if ((await readFile(file, 'utf8')) !== text) {
    fail(`${file} is out of date. Write it with: npm run openapi`);
  }
  if ((await readFile(errorsFile, 'utf8')) !== errorsChapter()) {
    fail(`${errorsFile} is out of date. Write it with: npm run openapi`);
  }
  const released = JSON.parse(await readFile(releasedFile, 'utf8'));
  const changes = breakingChanges(released, JSON.parse(text));
  if (changes.length > 0) {
    fail(
      `Clients of ${releasedFile} would break:\n${changes.map((change) => `- ${change}\n`).join('')}`,
    );
  }
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
