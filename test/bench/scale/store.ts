import assert from 'node:assert/strict';
import { rename, rm } from 'node:fs/promises';
import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { functionEnvironment } from '../../../infra/functionEnvironment.ts';
import { openLocalDatabase } from '../../../infra/local/localDatabase.ts';
import { localStage } from '../../../infra/local/localStage.ts';
import type { Handler } from '../../../lib/http/handler.ts';
import { median } from '../stats.ts';
import { benchPet, type Kind, nextRequest } from './measuredRequests.ts';

// A process with one store and its engine: `store.ts build|serve <folder> <pets>`. `build` makes a data
// folder of `npm start`. `serve` measures what its parent asks for, and rests while others are measured.

export type Order = { kind: Kind; count: number };
export type Timed = { medianMs: number; unitsPerRequest: number };

const maxBatchItems = 25; // DynamoDB's limit

const [, , task, folder = '', pets = ''] = process.argv;
const petCount = Number(pets);
const { name: stage, tableNames, shards, idsPerLease } = localStage;
Object.assign(process.env, functionEnvironment({ stage, tableNames, shards, idsPerLease }), {
  LOG_LEVEL: 'WARN',
  METRICS: 'off',
});

if (task === 'build') await build();
else await serve();

async function build(): Promise<void> {
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const database = await openLocalDatabase(unfinished);
  // Imported after the database is open: lib/config.ts reads the environment as it loads.
  const { createTables } = await import('../../../infra/local/createTables.ts');
  const { dynamoDbClient } = await import('../../../lib/dynamodb/client.ts');
  const { petItem } = await import('../../../lib/pets/petStore.ts');
  await createTables(tableNames);

  const token = crypto.randomUUID();
  let items: Record<string, { S: string } | { N: string }>[] = [
    { pk: { S: 'COUNTER' }, lastId: { N: pets } },
  ];
  for (let id = 1; id <= petCount; id += 1) {
    items.push(petItem(benchPet(BigInt(id), petCount), token));
    if (items.length < maxBatchItems && id < petCount) continue;
    const requests = items.map((Item) => ({ PutRequest: { Item } }));
    await dynamoDbClient.send(
      new BatchWriteItemCommand({ RequestItems: { [tableNames.pets]: requests } }),
    );
    items = [];
  }
  await database.stop();
  await rename(unfinished, folder);
  process.exit();
}

async function serve(): Promise<void> {
  await openLocalDatabase(folder);
  const { dynamoDb, dynamoDbClient } = await import('../../../lib/dynamodb/client.ts');
  const { issueApiKey } = await import('../../../infra/tools/apiKeyRegistry.ts');
  const functions: Record<string, Handler> = {
    createPet: (await import('../../../functions/createPet.ts')).handler,
    listPets: (await import('../../../functions/listPets.ts')).handler,
    getPet: (await import('../../../functions/getPet.ts')).handler,
  };
  const apiKey = await issueApiKey({ stage, tableName: tableNames.apiKeys }, { name: 'scale' });

  let units = 0;
  for (const { middlewareStack } of [dynamoDb, dynamoDbClient]) {
    middlewareStack.add(
      (next) =>
        async function countUnits(call) {
          Object.assign(call.input, { ReturnConsumedCapacity: 'TOTAL' });
          const result = await next(call);
          const output = result.output as { ConsumedCapacity?: { CapacityUnits?: number } };
          units += output.ConsumedCapacity?.CapacityUnits ?? 0;
          return result;
        },
      { step: 'initialize', name: 'countUnits' },
    );
  }

  async function send(kind: Kind): Promise<number> {
    const { operation, event, expected } = nextRequest(kind, petCount);
    const headers = { ...event.headers, Authorization: `Bearer ${apiKey}` };
    const startedAtMs = performance.now();
    const { statusCode, body } = await (functions[operation] as Handler)({ ...event, headers });
    const durationMs = performance.now() - startedAtMs;
    assert(statusCode < 300, body);
    // A time counts only if the response is right.
    const found = [JSON.parse(body)].flat();
    if (expected === 'a new pet') assert(found[0].id > petCount, body);
    else assert.deepEqual(found, expected);
    return durationMs;
  }

  process.on('message', async ({ kind, count }: Order) => {
    units = 0;
    const durationsMs: number[] = [];
    for (let n = 0; n < count; n += 1) durationsMs.push(await send(kind));
    const timed: Timed = { medianMs: median(durationsMs), unitsPerRequest: units / count };
    process.send?.(timed);
  });
  process.once('disconnect', () => process.exit());
  process.send?.('ready');
}
