import { readFile, writeFile } from 'node:fs/promises';
import { asciiJson } from '../openapi/asciiJson.ts';
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
