import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { operationEntries } from '../../lib/operations.ts';
import { functionEnvironment } from '../functionEnvironment.ts';
import { createTables } from '../local/createTables.ts';
import { openLocalDatabase } from '../local/localDatabase.ts';
import { localStage } from '../local/localStage.ts';
import { breakingChanges } from './openapi/breakingChanges.ts';

const file = 'openapi.json';

/** The description that clients were last given; what it promises must hold. */
const releasedFile = 'openapi.released.json';

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    release: { type: 'boolean', default: false },
  },
});

const description = await describe();
if (values.check) await check();
else await writeFile(file, description);
if (values.release) await writeFile(releasedFile, description);

async function check(): Promise<void> {
  if ((await readFile(file, 'utf8')) !== description) {
    fail(`${file} is not what the code says. Write it anew: npm run openapi`);
  }
  const released = JSON.parse(await readFile(releasedFile, 'utf8'));
  const changes = breakingChanges(released, JSON.parse(description));
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

/** The description as text, made on a database of its own. */
async function describe(): Promise<string> {
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  const database = await openLocalDatabase();
  await createTables(localStage.tableNames);
  const { name: stage, tableNames, shards, idsPerLease } = localStage;
  Object.assign(process.env, functionEnvironment({ stage, tableNames, shards, idsPerLease }), {
    LOG_LEVEL: 'SILENT', // two of the examples are failures of the database
    POWERTOOLS_METRICS_DISABLED: 'true',
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
