import { readFile, writeFile } from 'node:fs/promises';
import { breakingChanges } from '../openapi/breakingChanges.ts';
import { errorsChapter } from '../openapi/errorsChapter.ts';
import { createOpenApiDocument } from '../openapi/openApiDocument.ts';
import { defineCommand, runCommand } from './command.ts';

const file = 'openapi.json';

/** A chapter of the documentation, generated from the catalogue of errors. */
const errorsFile = 'docs/guide/errors.md';

/** The document that clients were last given. The current one must not break them. */
const releasedFile = 'openapi.released.json';

export const openapi = defineCommand('openapi')
  .option('--check', `fail if ${file} is out of date, or breaks clients of ${releasedFile}`)
  .option('--release', `also write ${releasedFile}, which clients were given`)
  .action(async ({ check: isCheck, release }) => {
    const text = `${JSON.stringify(createOpenApiDocument(), null, 2)}\n`;
    if (isCheck) await check(text);
    else await Promise.all([writeFile(file, text), writeFile(errorsFile, errorsChapter())]);
    if (release) await writeFile(releasedFile, text);
  });

async function check(text: string): Promise<void> {
  if ((await readFile(file, 'utf8')) !== text) {
    throw new Error(`${file} is out of date. Write it with: npm run openapi`);
  }
  if ((await readFile(errorsFile, 'utf8')) !== errorsChapter()) {
    throw new Error(`${errorsFile} is out of date. Write it with: npm run openapi`);
  }
  const released = JSON.parse(await readFile(releasedFile, 'utf8'));
  const changes = breakingChanges(released, JSON.parse(text));
  if (changes.length > 0) {
    const list = changes.map((change) => `- ${change}\n`).join('');
    throw new Error(`Clients of ${releasedFile} would break:\n${list}`);
  }
}

if (import.meta.main) await runCommand(openapi);
