import { readFile, writeFile } from 'node:fs/promises';
import { type ErrorCode, errorStatuses } from '../../lib/errors.ts';
import { breakingChanges } from '../openapi/breakingChanges.ts';
import { createOpenApiDocument } from '../openapi/openApiDocument.ts';
import { errorTexts } from '../openapi/responses.ts';
import { defineCommand, runCommand } from './command.ts';

const file = 'openapi.json';

/** A chapter of the documentation, generated from the catalogue of errors. */
const errorsFile = 'docs/guide/errors.md';

/** The document that clients were last given. The current one must not break them. */
const releasedFile = 'openapi.released.json';

export const openapi = defineCommand('openapi', 'Writes openapi.json.')
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

const introduction = `Every response of 400 or above has the body \`{"code": …, "message": …, "status": …}\`. \`code\` is for programs, from the closed list below. \`message\` is for people: it names every invalid field and what is valid, and never repeats input.`;

/**
 * Returns the chapter of the errors as Markdown.
 *
 * A link to an error needs only its code: the anchor of `not_found` is `not-found`.
 */
function errorsChapter(): string {
  const sections = Object.entries(errorTexts).map(([code, { description, remedy, message }]) => {
    const status = errorStatuses[code as ErrorCode];
    const heading = code[0]?.toUpperCase() + code.slice(1).replaceAll('_', ' ');
    return `## ${heading}

**\`${code}\`, status ${status}.** ${description}

**What to do:** ${remedy}

**Message:** \`${message}\`
`;
  });
  return `# Errors\n\n${introduction}\n\n${sections.join('\n')}`;
}

if (import.meta.main) await runCommand(openapi);
