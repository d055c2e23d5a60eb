import assert from 'node:assert/strict';
import { functionEnvironment } from '../../../infra/functionEnvironment.ts';
import { openLocalDatabase } from '../../../infra/local/localDatabase.ts';
import { localStage } from '../../../infra/local/localStage.ts';
import type { Handler } from '../../../lib/http/handler.ts';
import { median } from '../median.ts';
import { checkAnswer } from './checkAnswer.ts';
import type { MeasuredRequest, Order, Timed } from './measuredRequests.ts';

// A process of its own for each store, with the engine in it as in `npm start`. It does what its
// parent tells it, and rests while another one is measured.

const [, , folder = '', pets = ''] = process.argv;
const petCount = Number(pets);

await openLocalDatabase(folder);
const { name: stage, tableNames, shards, idsPerLease } = localStage;
Object.assign(process.env, functionEnvironment({ stage, tableNames, shards, idsPerLease }), {
  LOG_LEVEL: 'WARN',
  POWERTOOLS_METRICS_DISABLED: 'true',
});
const { dynamoDb, dynamoDbClient } = await import('../../../lib/dynamodb/client.ts');
const { issueApiKey } = await import('../../../infra/tools/apiKeyRegistry.ts');
const { nextRequest } = await import('./nextRequest.ts');
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
        const answer = await next(call);
        const { ConsumedCapacity } = answer.output as {
          ConsumedCapacity?: { CapacityUnits?: number };
        };
        units += ConsumedCapacity?.CapacityUnits ?? 0;
        return answer;
      },
    { step: 'initialize', name: 'countUnits' },
  );
}

async function send(request: MeasuredRequest): Promise<number> {
  const { operation, event } = nextRequest(request, petCount, apiKey);
  const startedAtMs = performance.now();
  const { statusCode, body } = await (functions[operation] as Handler)(event);
  const durationMs = performance.now() - startedAtMs;
  assert(statusCode < 300, body);
  checkAnswer(request, event, body, petCount);
  return durationMs;
}

process.on('message', async ({ request, count }: Order) => {
  units = 0;
  const durationsMs: number[] = [];
  for (let n = 0; n < count; n += 1) durationsMs.push(await send(request));
  const timed: Timed = { medianMs: median(durationsMs), unitsPerRequest: units / count };
  process.send?.(timed);
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
