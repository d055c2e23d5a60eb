import assert from 'node:assert/strict';
import { functionEnvironment } from '../../infra/functionEnvironment.ts';
import { openLocalDatabase } from '../../infra/local/localDatabase.ts';
import { localStage } from '../../infra/local/localStage.ts';
import { samplePet } from '../../infra/local/samplePet.ts';
import type { PetStatus } from '../../lib/schemas.ts';
import type { FunctionResponse } from './cold/lambdaRuntime.ts';
import { checkCreated, requestEvent } from './requests.ts';
import { median } from './stats.ts';

// A process with one store and its engine: `scaleStore.ts build|serve <folder> <pets>`. `build` makes a data
// folder of `npm start`. `serve` measures what its parent asks for, and rests while others are measured.

export type Order = { kind: string; count: number };
export type Timed = { medianMs: number; unitsPerRequest: number };

const [, , task, folder = '', pets] = process.argv;
const petCount = Number(pets);
const { name: stage, tableNames, shards, idsPerLease } = localStage;
Object.assign(process.env, functionEnvironment({ stage, tableNames, shards, idsPerLease }), {
  LOG_LEVEL: 'WARN',
  METRICS: 'off',
});
const database = await openLocalDatabase(folder);

/** A few pets have this status, as many in a large store as in a small one. New pets have another. */
const rareStatus: PetStatus = 'sold';
const rareDistance = Math.floor(petCount / 40);

/** The pets of a store: made up, with the rare ones spread over all ids. */
function petOf(id: bigint) {
  const pet = samplePet(id);
  if (Number(id) % rareDistance === 0) return { ...pet, status: rareStatus };
  return pet.status === rareStatus ? { ...pet, status: 'available' as const } : pet;
}

// Imported after the database is open: lib/config.ts reads the environment as it loads.
if (task === 'build') {
  const { createTables } = await import('../../infra/local/createTables.ts');
  const { seedPets } = await import('../../infra/local/seedPets.ts');
  await createTables(tableNames);
  const stop = new AbortController().signal;
  await seedPets(petCount, { stop, onProgress: () => {}, petOf });
  await database.stop();
  process.exit();
}
const { handler: createPet } = await import('../../functions/createPet.ts');
const { handler: listPets } = await import('../../functions/listPets.ts');
const { handler: getPet } = await import('../../functions/getPet.ts');
const { issueApiKey } = await import('../../infra/tools/apiKeyRegistry.ts');
const { dynamoDbClient } = await import('../../lib/dynamodb/client.ts');
const { encodeCursor } = await import('../../lib/pets/cursor.ts');
const apiKey = await issueApiKey({ stage, tableName: tableNames.apiKeys }, { name: 'scale' });

// Made once: the rare pets of a large store are far apart.
const rarePage = list({ status: rareStatus, afterId: Math.floor(petCount / 4) });

/** The next request of each kind. Consecutive requests ask for different pets. */
const kinds = {
  createPet: () => create({}),
  'createPet with an Idempotency-Key': () => create({ 'Idempotency-Key': crypto.randomUUID() }),
  getPet: () => get(nextId(0, 1)),
  'listPets, the first page': () => list({}),
  'listPets, the first page of 100': () => list({ limit: 100 }),
  'listPets, deep in the pages': () => list({ afterId: nextId(0.5, 0.8) }),
  'listPets of one status, deep': () => list({ status: 'available', afterId: nextId(0.5, 0.8) }),
  'listPets of a rare status': () => rarePage,
};

function create(headers: Record<string, string>) {
  const event = requestEvent('createPet', apiKey);
  const check = (response: FunctionResponse) => assert(checkCreated(response) > petCount);
  return { send: () => createPet({ ...event, headers: { ...event.headers, ...headers } }), check };
}

function get(id: number) {
  const event = requestEvent('getPet', apiKey, {}, String(id));
  return { send: () => getPet(event), check: isExactly(jsonOf(petOf(BigInt(id)))) };
}

type List = { limit?: number; status?: PetStatus; afterId?: number };

function list({ limit = 20, status, afterId = 0 }: List) {
  const page: string[] = [];
  for (let id = afterId + 1; page.length < limit; id += 1) {
    const pet = petOf(BigInt(id));
    if (!status || pet.status === status) page.push(jsonOf(pet));
  }
  const event = requestEvent('listPets', apiKey, {
    ...(limit !== 20 && { limit: String(limit) }),
    ...(status && { status }),
    ...(afterId && { cursor: encodeCursor(BigInt(afterId), { stage, status }) }),
  });
  return { send: () => listPets(event), check: isExactly(`[${page}]`) };
}

function jsonOf({ id, name, categoryId, status }: ReturnType<typeof petOf>): string {
  return JSON.stringify({ id: Number(id), name, categoryId: Number(categoryId), status });
}

function isExactly(expected: string) {
  return ({ body }: FunctionResponse) => assert.equal(body, expected);
}

let idCount = 0;

/** An id in a part of the store. */
function nextId(from: number, to: number): number {
  idCount += 1;
  // Multiples of the golden ratio are spread evenly and never repeat.
  const share = (idCount * 0.618033988749895) % 1;
  return Math.ceil((from + (to - from) * share) * petCount);
}

let units = 0;
dynamoDbClient.middlewareStack.add(
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

process.on('message', async ({ kind, count }: Order) => {
  units = 0;
  const durationsMs: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const { send, check } = kinds[kind as keyof typeof kinds]();
    const startedAtMs = performance.now();
    const response = await send();
    durationsMs.push(performance.now() - startedAtMs);
    check(response); // a time counts only if the response is right
  }
  process.send?.({ medianMs: median(durationsMs), unitsPerRequest: units / count } as Timed);
});
process.once('disconnect', () => process.exit());
process.send?.(Object.keys(kinds));
