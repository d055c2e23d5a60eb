import { readFile, writeFile } from 'node:fs/promises';
import { generateClient } from '../openapi/generateClient.ts';
import { createOpenApiDocument } from '../openapi/openApiDocument.ts';
import { defineCommand, print, runCommand } from './command.ts';

export const openapi = defineCommand(
  'openapi',
  'Writes openapi.json, and the part of the client that follows from it.',
)
  .option('--check', 'fail if a file is out of date')
  .action(async ({ check: isCheck }) => {
    const document = `${JSON.stringify(createOpenApiDocument(), null, 2)}\n`;
    const files = {
      'openapi.json': document,
      'client/src/generated.ts': generateClient(JSON.parse(document)),
    };
    for (const [file, text] of Object.entries(files)) {
      if (!isCheck) {
        await writeFile(file, text);
        print(`Wrote ${file}.`);
      } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
        throw new Error(`${file} is out of date. Write it with: npm run openapi`);
      }
    }
  });

if (import.meta.main) await runCommand(openapi);
