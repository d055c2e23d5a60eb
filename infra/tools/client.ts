import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { describeTypes } from './openapi/describeTypes.ts';

const file = 'client/src/description.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

const types = describeTypes(JSON.parse(await readFile('openapi.json', 'utf8')));
if (!values.check) {
  await writeFile(file, types);
} else if ((await readFile(file, 'utf8')) !== types) {
  process.stderr.write(`${file} is not what openapi.json says. Write it anew: npm run client\n`);
  process.exitCode = 1;
}
