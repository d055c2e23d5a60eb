import { hash } from 'node:crypto';
import fc from 'fast-check';
import { apiKeyDigest, apiKeyId } from '../../lib/apiKeys/apiKey.ts';
import { toItem } from '../../lib/dynamodb/client.ts';
import { idIn, rex, storedPet } from '../helpers/samplePets.ts';
import { apiKeys, type Exchange, type Request, type World } from './World.ts';

/** What happens in a run. */
export type Scenario = fc.Arbitrary<(world: World) => Promise<unknown>>;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const key = 'order-1';

/** Sends a request. With an Idempotency-Key, sends it again after a 5xx. */
async function create(world: World, on: string, request: Partial<Request>): Promise<Exchange> {
  const send = (name: string) => world.send({ operation: 'createPet', ...request }, name);
  let exchange = await send(on);
  for (let retry = 1; request.idempotencyKey && exchange.status >= 500 && retry < 3; retry += 1) {
    exchange = await send(`${on}${retry}`);
  }
  return exchange;
}

const creation = fc.record({
  on: fc.constantFrom('A', 'B', 'C'),
  idempotencyKey: fc.constantFrom(key, key, key, 'order-2', undefined),
  apiKey: fc.constantFrom('first', 'first', 'first', 'second'),
  animal: fc.constantFrom('Rex', 'Rex', 'Rex', 'Max'),
});
const creations = fc.array(creation, { minLength: 1, maxLength: 4 });

/** Runs all creations at once. The name of a pet says which creation it belongs to. */
function createAll(
  world: World,
  requests: typeof creations extends fc.Arbitrary<infer T> ? T : never,
) {
  return Promise.all(
    requests.map(({ on, animal, ...request }, n) => {
      const { apiKey, idempotencyKey } = request;
      const pet = idempotencyKey ? `${animal} of ${apiKey} ${idempotencyKey}` : `${animal} ${n}`;
      return create(world, on, { ...request, pet });
    }),
  );
}

function setCounter({ database }: World, lastId: number): void {
  database.put('pets', { pk: { S: 'COUNTER' }, lastId: { N: String(lastId) } });
}

/** Stores pets with these ids, and the counter at the last one. */
function storePets(world: World, firstId: number, lastId: number): void {
  for (let id = firstId; id <= lastId; id += 1) {
    const changes = { statusShard: `${rex.status}#${id % 2}`, name: `Pet ${id}`, token: 'other' };
    const pet = toItem(storedPet(BigInt(id), changes));
    world.initialPets.push(pet);
    world.database.put('pets', pet);
  }
  setCounter(world, lastId);
}

function deleteExpiredRecords(world: World): Promise<void> {
  return world.happens('DynamoDB deletes expired records', () => {
    for (const { scopedKey, expiresAtEpochSeconds } of world.database.items('idempotency')) {
      if (!scopedKey || Number(expiresAtEpochSeconds?.N) > world.nowSeconds) continue;
      world.database.execute('DeleteItem', { TableName: 'idempotency', Key: { scopedKey } });
    }
  });
}

export const scenarios: Record<string, Scenario> = {
  'creations race': creations.map((requests) => async (world) => {
    const [first] = await createAll(world, requests);
    if (first?.status !== 201) return;
    await world.send({ operation: 'getPet', petId: idIn(first.body) }, 'reader');
  }),

  'the counter is set back while creations race': fc
    .record({ requests: creations, lastId: fc.integer({ min: 1, max: 4 }) })
    .map(({ requests, lastId }) => async (world) => {
      storePets(world, 1, lastId);
      const setBack = () => setCounter(world, 0);
      await Promise.all([
        createAll(world, requests),
        world.happens('the counter is set back', setBack),
      ]);
    }),

  'a key is used at and after the end of its 24 hours': fc
    .record({ on: fc.constantFrom('A', 'B') })
    .map(({ on }) => async (world) => {
      const order = { idempotencyKey: key, pet: 'Rex' };
      const [first] = await Promise.all([
        create(world, 'A', order),
        world.passes('10 seconds', 10_000),
      ]);
      if (first.status !== 201) return;
      world.nowMs = first.receivedAtMs + dayMs;
      await Promise.all([create(world, on, order), world.passes('29 seconds', 29_000)]);
      await world.passes('10 minutes', 10 * minuteMs);
      await Promise.all([
        create(world, 'C', { ...order, pet: 'Max' }),
        create(world, 'D', { ...order, pet: 'Max' }),
        deleteExpiredRecords(world),
      ]);
    }),

  'a record whose id is taken expires while retries use it': fc
    .subarray(['A', 'B', 'C'], { minLength: 1 })
    .map((instances) => async (world) => {
      storePets(world, 1, 1);
      const pet = 'Rex';
      // The request that wrote it died before it stored a pet.
      world.database.put('idempotency', {
        scopedKey: { S: `${apiKeyId(apiKeyDigest(apiKeys.first))}#${key}` },
        petId: { N: '1' },
        token: { S: 'died' },
        fingerprint: { S: hash('sha256', `["${pet}",7,"available"]`, 'hex') },
        expiresAtEpochSeconds: { N: String(world.nowSeconds + 1) },
      });
      await Promise.all([
        ...instances.map((on) => create(world, on, { idempotencyKey: key, pet })),
        world.passes('2 seconds', 2_000).then(() => deleteExpiredRecords(world)),
      ]);
    }),

  'a walk races with creations': fc
    .record({
      requests: creations,
      query: fc.constantFrom({ limit: '2', status: 'available' }, { limit: '4' }),
      lastId: fc.integer({ min: 7, max: 12 }),
      maxPageItems: fc.constantFrom(100, 1),
    })
    .map(({ requests, query, lastId, maxPageItems }) => async (world) => {
      storePets(world, 7, lastId);
      world.database.maxPageItems = maxPageItems;
      world.database.updateIndex = (pet, update) =>
        void world.happens(`the index gets ${pet}`, update);
      await Promise.all([createAll(world, requests.slice(0, 2)), world.walk(query)]);
    }),
};
