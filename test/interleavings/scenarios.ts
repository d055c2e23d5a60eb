import { hash } from 'node:crypto';
import fc from 'fast-check';
import { apiKeyDigest, apiKeyId } from '../../lib/apiKeys/apiKey.ts';
import { idIn } from '../helpers/samplePets.ts';
import type { Item } from './DynamoDbModel.ts';
import { apiKeys, type Exchange, type Request, type World } from './World.ts';

/** What happens in a run. It returns the broken promises that are its own, as sentences. */
export type Scenario = fc.Arbitrary<(world: World) => Promise<string[]>>;

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

/** Follows the links of a list, and asks for a page again after a 5xx. */
async function walk(world: World, query: Record<string, string>): Promise<void> {
  const pages: Exchange[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const request = { ...query, ...(cursor && { cursor }) };
    const page: Exchange = await world.send({ operation: 'listPets', query: request }, 'L');
    if (page.status >= 500) continue;
    pages.push(page);
    cursor = /cursor=([^&>]+)/.exec(page.link ?? '')?.[1];
  }
  world.walks.push(pages);
}

function petItem(id: number, shard = 0): Item {
  return {
    pk: { S: `PET#${id}` },
    statusShard: { S: `available#${shard}` },
    token: { S: 'other' },
    id: { N: String(id) },
    name: { S: `Pet ${id}` },
    categoryId: { N: '1' },
    status: { S: 'available' },
  };
}

function setCounter(world: World, lastId: string): void {
  world.database.put('pets', { pk: { S: 'COUNTER' }, lastId: { N: lastId } });
}

/** Stores pets with the ids up to the last one, and the counter at it. */
function storePets(world: World, lastId: number, { firstId = 1, shards = 1 } = {}): void {
  for (let id = firstId; id <= lastId; id += 1) {
    const pet = petItem(id, id % shards);
    world.initialPets.push(pet);
    world.database.put('pets', pet);
  }
  setCounter(world, String(lastId));
}

function deleteExpiredRecords({ database, nowSeconds }: World): void {
  for (const { scopedKey = { S: '' }, expiresAtEpochSeconds } of database.items('idempotency')) {
    if (Number(expiresAtEpochSeconds?.N) <= nowSeconds) {
      database.delete('idempotency', { scopedKey });
    }
  }
}

const creation = fc.record({
  on: fc.constantFrom('A', 'B', 'C'),
  idempotencyKey: fc.constantFrom(key, key, key, 'order-2', undefined),
  apiKey: fc.constantFrom('1', '1', '1', '2'),
  animal: fc.constantFrom('Rex', 'Rex', 'Rex', 'Max'),
});
const creations = fc.array(creation, { minLength: 1, maxLength: 4 });

type Creation = typeof creation extends fc.Arbitrary<infer Value> ? Value : never;

/** Runs all creations at once. The name of a pet says which creation it belongs to. */
function createAll(world: World, requests: Creation[]) {
  return Promise.all(
    requests.map(({ on, animal, ...request }, n) => {
      const { apiKey, idempotencyKey } = request;
      const pet = idempotencyKey ? `${animal} of ${apiKey} ${idempotencyKey}` : `${animal} ${n}`;
      return create(world, on, { ...request, pet });
    }),
  );
}

/** What an accident or a restore does to the counter. */
const counterAccidents: Record<string, (world: World) => void> = {
  'is set back': (world) => setCounter(world, '0'),
  'is deleted': ({ database }) => database.delete('pets', { pk: { S: 'COUNTER' } }),
  'becomes a text': ({ database }) =>
    database.put('pets', { pk: { S: 'COUNTER' }, lastId: { S: 'seven' } }),
  'has one id left': (world) => setCounter(world, String(2n ** 63n - 2n)),
};

export const scenarios: Record<string, Scenario> = {
  'creations race': fc
    .record({ requests: creations, idsPerLease: fc.constantFrom(1, 2) })
    .map(({ requests, idsPerLease }) => async (world) => {
      world.settings.A = { idsPerLease };
      const [first] = await createAll(world, requests);
      if (first?.status === 201) {
        await world.send({ operation: 'getPet', petId: idIn(first.body) }, 'reader');
      }
      return [];
    }),

  'the counter breaks while creations race': fc
    .record({
      requests: creations,
      accident: fc.constantFrom(...Object.keys(counterAccidents)),
      storedPets: fc.integer({ min: 1, max: 4 }),
      idsPerLease: fc.constantFrom(1, 2),
    })
    .map(({ requests, accident, storedPets, idsPerLease }) => async (world) => {
      world.settings.A = { idsPerLease };
      storePets(world, storedPets);
      const breakCounter = () => counterAccidents[accident]?.(world);
      await Promise.all([
        createAll(world, requests),
        world.happens(`the counter ${accident}`, breakCounter),
      ]);
      return [];
    }),

  'a key is used at and after the end of its 24 hours': fc
    .record({ clockOffsetMs: fc.constantFrom(0, 4 * minuteMs) })
    .map(({ clockOffsetMs }) => async (world) => {
      world.settings.B = { clockOffsetMs };
      const order = { idempotencyKey: key, pet: 'Rex' };
      const [first] = await Promise.all([
        create(world, 'A', order),
        world.passes('10 seconds', 10_000),
      ]);
      if (first.status !== 201) return [];
      world.nowMs = first.receivedAtMs + dayMs;
      await Promise.all([create(world, 'B', order), world.passes('29 seconds', 29_000)]);
      await world.passes('10 minutes', 10 * minuteMs);
      await Promise.all([
        create(world, 'C', { ...order, pet: 'Max' }),
        create(world, 'D', { ...order, pet: 'Max' }),
        world.happens('DynamoDB deletes expired records', () => deleteExpiredRecords(world)),
      ]);
      return [];
    }),

  'a record whose id is taken expires while retries use it': fc
    .record({ retries: fc.integer({ min: 1, max: 3 }) })
    .map(({ retries }) => async (world) => {
      storePets(world, 1);
      const pet = 'Rex';
      // The request that wrote it died before it stored a pet.
      world.database.put('idempotency', {
        scopedKey: { S: `${apiKeyId(apiKeyDigest(apiKeys[1]))}#${key}` },
        petId: { N: '1' },
        token: { S: 'died' },
        fingerprint: { S: hash('sha256', `["${pet}",7,"available"]`, 'hex') },
        expiresAtEpochSeconds: { N: String(world.nowSeconds + 1) },
      });
      const sent = ['A', 'B', 'C'].slice(0, retries);
      await Promise.all([
        ...sent.map((on) => create(world, on, { idempotencyKey: key, pet })),
        world
          .passes('2 seconds', 2_000)
          .then(() =>
            world.happens('DynamoDB deletes expired records', () => deleteExpiredRecords(world)),
          ),
      ]);
      return [];
    }),

  'an API key is revoked': fc.constant(async (world) => {
    world.areKeyReadsOrdered = true;
    const revokedAtEpochSeconds = { N: String(world.nowSeconds) };
    const [late] = await Promise.all([
      world
        .happens('the API key is revoked', () => world.putApiKey('1', { revokedAtEpochSeconds }))
        .then(() => world.passes('60 seconds', minuteMs))
        .then(() => create(world, 'A', { pet: 'Zoe' })),
      create(world, 'A', { pet: 'Rex' }),
      create(world, 'A', { pet: 'Max' }),
    ]);
    return late.status === 201 ? ['an API key works 60 seconds after its revocation'] : [];
  }),

  'an API key was never issued': fc.constant(async (world) => {
    world.areKeyReadsOrdered = true;
    const { status } = await create(world, 'A', { apiKey: 'unknown', pet: 'Rex' });
    return status === 201 ? ['an API key works that was never issued'] : [];
  }),

  'a walk races with creations': fc
    .record({
      requests: creations,
      shards: fc.constantFrom(1, 3),
      query: fc.constantFrom({ limit: '2', status: 'available' }, { limit: '4' }),
      firstId: fc.constantFrom(1, 7),
      storedPets: fc.integer({ min: 0, max: 5 }),
      maxPageItems: fc.constantFrom(100, 2, 1),
      isOneDamaged: fc.boolean(),
    })
    .map(({ requests, shards, query, firstId, storedPets, maxPageItems, isOneDamaged }) => {
      return async (world) => {
        for (const name of ['A', 'B', 'C', 'L']) world.settings[name] = { shards };
        storePets(world, firstId + storedPets, { firstId, shards });
        if (isOneDamaged) {
          const { name: _, ...damaged } = petItem(firstId, firstId % shards);
          world.database.put('pets', { ...damaged, pk: { S: 'PET#0' } });
        }
        world.database.maxPageItems = maxPageItems;
        world.database.updateIndex = (pet, update) =>
          void world.happens(`the index gets ${pet}`, update);
        await Promise.all([createAll(world, requests.slice(0, 2)), walk(world, query)]);
        return [];
      };
    }),

  'lists and then writes get a second shard': fc
    .record({ storedPets: fc.integer({ min: 1, max: 3 }) })
    .map(({ storedPets }) => async (world) => {
      storePets(world, storedPets);
      const list = () => walk(world, { limit: '2', status: 'available' });
      const createOnA = (...pets: string[]) =>
        Promise.all(pets.map((pet) => create(world, 'A', { pet })));
      const readTwoShards = (name: string) =>
        world.happens(`${name} reads two shards`, () => {
          world.deploy(name, { shards: 2, writeShards: 1 });
        });
      await Promise.all([
        list(),
        readTwoShards('L'),
        readTwoShards('A')
          .then(() => createOnA('Rex', 'Ada'))
          .then(list),
      ]);
      await Promise.all([
        list(),
        world
          .happens('A writes to two shards', () => world.deploy('A', { shards: 2 }))
          .then(() => createOnA('Max', 'Mia')),
      ]);
      await list();
      return [];
    }),
};
