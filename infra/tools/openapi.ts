import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { operationEntries } from '../../lib/operations.ts';
import { functionEnvironment } from '../functionEnvironment.ts';
import { createTables } from '../local/createTables.ts';
import { openLocalDatabase } from '../local/localDatabase.ts';
import { localStage } from '../local/localStage.ts';

const file = 'openapi.json';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

const description = await describe();
if (!values.check) {
  await writeFile(file, description);
} else if ((await readFile(file, 'utf8')) !== description) {
  process.stderr.write(`${file} is not what the code says. Write it anew: npm run openapi\n`);
  process.exitCode = 1;
}

/** The description as text, made on a database of its own. */
async function describe(): Promise<string> {
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  const database = await openLocalDatabase();
  await createTables(localStage.tableNames);
  const { name: stage, tableNames, shards } = localStage;
  Object.assign(process.env, functionEnvironment({ stage, tableNames, shards }), {
    LOG_LEVEL: 'OFF', // two of the examples are failures of the database
  });

  // Imported only now, because lib/config.ts reads the environment as it loads.
  const { recordExamples } = await import('./openapi/recordExamples.ts');
  const { describeApi } = await import('./openapi/describeApi.ts');
  const modules = operationEntries.map(async ([name]) => {
    const { handler } = await import(`../../functions/${name}.ts`);
    return [name, handler];
  });
  const examples = await recordExamples(Object.fromEntries(await Promise.all(modules)));
  await database.stop();
  return `${JSON.stringify(describeApi(examples), null, 2)}\n`;
}
