import { readFile, writeFile } from 'node:fs/promises';
import { createOpenApiDocument } from '../openapi/openApiDocument.ts';
import { defineCommand, print } from './command.ts';

const file = 'openapi.json';

export const openapi = defineCommand('openapi', `Writes ${file}.`)
  .option('--check', 'fail if the file is out of date')
  .action(async ({ check: isCheck }) => {
    const text = `${asciiJson(createOpenApiDocument())}\n`;
    if (!isCheck) {
      await writeFile(file, text);
      print(`Wrote ${file}.`);
    } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
      throw new Error(`${file} is out of date. Write it with: npm run openapi`);
    }
  });

/** Writes JSON in ASCII, because editors hide other white space, or offer to remove it. */
function asciiJson(value: object): string {
  return JSON.stringify(value, null, 2).replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
