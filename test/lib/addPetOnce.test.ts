import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { issueApiKey } from '../../infra/tools/apiKeyRegistry.ts';
import { call, registry, restEvent } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import {
  connectionReset,
  deleteItem,
  emptyStore,
  idempotencyRecords,
  interceptDatabase,
  storedItems,
  storeItem,
} from '../helpers/database.ts';

const dayMs = 24 * 60 * 60 * 1000;
const rex = { name: 'Rex', categoryId: 7, status: 'available' };

let keyNumber = 0;
const newKey = () => `order-${++keyNumber}`;

const create = (idempotencyKey: string, body: unknown = rex, headers = {}) =>
  call(createPet, { body, headers: { 'Idempotency-Key': idempotencyKey, ...headers } });

const storedPets = async () => (await storedItems()).filter(({ pk }) => pk !== 'COUNTER');

beforeEach(emptyStore);

afterEach(() => {
  vi.useRealTimers();
});

describe('addPetOnce', () => {
  it('answers a repeated request with the same 201 and pet', async () => {
    const key = newKey();

    const first = await create(key);
    const second = await create(key);

    expect(second.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect(second.headers.Location).toBe(first.headers.Location);
    expect(await storedPets()).toHaveLength(1);
  });

  it('burns no id on a repeated request', async () => {
    const key = newKey();
    await create(key);
    await create(key);

    expect((await create(newKey())).json.id).toBe(2);
  });

  it('makes one pet of 20 equal requests that race', async () => {
    const key = newKey();

    const answers = await Promise.all(Array.from({ length: 20 }, () => create(key)));

    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await storedPets()).toHaveLength(1);
  });

  it('makes one pet of racing requests whose id is taken', async () => {
    captureLog();
    await Promise.all([create(newKey()), create(newKey()), create(newKey())]);
    await deleteItem('COUNTER');
    const key = newKey();

    const answers = await Promise.all(Array.from({ length: 10 }, () => create(key)));

    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(await storedPets()).toHaveLength(4);
  });

  it('leaves a range of taken ids in about log2 of its length attempts', async () => {
    captureLog();
    for (let id = 1n; id <= 60n; id += 1n) await storeItem({ pk: `PET#${id}`, id });

    const { json } = await create(newKey());

    expect(json.id).toBe(63);
  });

  it('reads strongly whatever it decides by', async () => {
    const key = newKey();
    await create(key);
    const reads: unknown[] = [];
    interceptDatabase(({ action, input, pass }) => {
      if (action === 'GetItem') reads.push(input.ConsistentRead);
      return pass();
    });

    await create(key);

    // The record, and the pet that is there already.
    expect(reads).toEqual([true, true]);
  });

  it('takes bodies for the same that mean the same pet', async () => {
    const key = newKey();
    const first = await create(key, '{"name":"Rex","categoryId":7}');

    const second = await create(
      key,
      '{ "status": "available", "categoryId": 7.0, "name": "\\u0052ex", "note": "unknown" }',
    );

    expect(second.text).toBe(first.text);
  });

  it.each([
    ['name', { ...rex, name: 'Max' }],
    ['categoryId', { ...rex, categoryId: 8 }],
    ['status', { ...rex, status: 'sold' }],
  ])('answers 422 where the body has another %s, and stores nothing', async (_field, body) => {
    const key = newKey();
    await create(key);

    const { status, json } = await create(key, body);

    expect(status).toBe(422);
    expect(json).toEqual({
      code: 'idempotency_key_reused',
      message:
        'This Idempotency-Key was used for another body within 24 hours: send a new key with a new body.',
      status: 422,
    });
    expect(await storedPets()).toHaveLength(1);
  });

  it('tells apart categories that differ beyond 2^53', async () => {
    const key = newKey();
    await create(key, '{"name":"Rex","categoryId":9007199254740992}');

    const { status } = await create(key, '{"name":"Rex","categoryId":9007199254740993}');

    expect(status).toBe(422);
  });

  it('lets two clients use the same key', async () => {
    const key = newKey();
    const otherApiKey = await issueApiKey(registry, { name: 'another client' });

    const mine = await create(key);
    const theirs = await create(key, rex, { Authorization: `Bearer ${otherApiKey}` });

    expect(theirs.status).toBe(201);
    expect(theirs.json.id).not.toBe(mine.json.id);
  });

  it('remembers a key for 24 hours, whether DynamoDB dropped the record or not', async () => {
    const key = newKey();
    const startMs = Math.floor(Date.now() / 1000) * 1000 + 999;
    vi.useFakeTimers({ toFake: ['Date'], now: startMs });
    const first = await create(key);

    vi.setSystemTime(startMs + dayMs - 1);
    expect((await create(key)).text).toBe(first.text);

    vi.setSystemTime(startMs + dayMs + 1000);
    const later = await create(key, { ...rex, name: 'Max' });
    expect(later.status).toBe(201);
    expect(later.json.id).not.toBe(first.json.id);
    expect((await create(key, { ...rex, name: 'Max' })).text).toBe(later.text);
  });

  it('remembers no key of a request that was refused', async () => {
    const key = newKey();
    await create(key, { name: '' });

    expect((await create(key)).status).toBe(201);
  });

  it('stores neither the key of the client nor the body in the record', async () => {
    const key = newKey();
    await create(key, { ...rex, name: 'Confidential' });

    const record = (await idempotencyRecords()).find(({ scopedKey }) =>
      String(scopedKey).endsWith(key),
    );

    expect(Object.keys(record ?? {}).sort()).toEqual([
      'expiresAtEpochSeconds',
      'fingerprint',
      'petId',
      'scopedKey',
      'token',
    ]);
    expect(record?.scopedKey).toMatch(/^key_[\da-f]{12}#/);
    expect(record?.fingerprint).toMatch(/^[\da-f]{64}$/);
  });

  it.each([['a'], ['x'.repeat(255)], ['"8e03978e-40d5-43dd-bc93-6894a57f9324"'], ['!~#/+=']])(
    'takes the key %s',
    async (key) => {
      expect((await create(key)).status).toBe(201);
    },
  );

  it.each([[''], ['x'.repeat(256)], ['a b'], ['clé'], ['a\tb'], ['\u007f']])(
    'answers 400 for the key %j',
    async (key) => {
      const { status, json } = await create(key);

      expect(status).toBe(400);
      expect(json.message).toBe(
        'idempotency-key must be given once, as 1 to 255 visible ASCII characters.',
      );
    },
  );

  it('answers 400 for two keys, and names a fault of the body beside', async () => {
    const event = restEvent({ body: { ...rex, status: 'lost' } });
    event.multiValueHeaders = { ...event.multiValueHeaders, 'Idempotency-Key': ['a', 'b'] };

    const { statusCode, body } = await createPet(event);

    expect(statusCode).toBe(400);
    expect(JSON.parse(body).message).toBe(
      'idempotency-key must be given once, as 1 to 255 visible ASCII characters; status must be one of available, pending, sold.',
    );
  });
});

describe('addPetOnce, when a process dies', () => {
  /** Lets the first `count` writes through and breaks every connection after them, for good. */
  function dieAfterWrites(count: number, isAnswerLost: boolean): void {
    let writes = 0;
    interceptDatabase(async ({ action, pass }) => {
      const isWrite = action === 'PutItem' || action === 'UpdateItem';
      if (writes < count) {
        const answer = await pass();
        if (isWrite) writes += 1;
        if (writes === count && isAnswerLost) throw connectionReset();
        return answer;
      }
      throw connectionReset();
    });
  }

  // The writes of a creation: the counter, the record, the pet.
  const deaths = [1, 2, 3].flatMap((count) => [
    { count, isAnswerLost: false },
    { count, isAnswerLost: true },
  ]);
  it.each(deaths)(
    'finishes exactly one pet after write $count (its answer lost: $isAnswerLost)',
    async ({ count, isAnswerLost }) => {
      captureLog();
      const key = newKey();
      await create(newKey(), { ...rex, name: 'Knows the API key' });
      dieAfterWrites(count, isAnswerLost);
      const died = await create(key);
      vi.restoreAllMocks();

      const first = await create(key);
      const second = await create(key);

      expect(died.status).toBe(count === 3 && !isAnswerLost ? 201 : 503);
      expect(first.status).toBe(201);
      expect(second.text).toBe(first.text);
      expect(await storedPets()).toHaveLength(2);
      expect((await call(getPet, { petId: String(first.json.id) })).text).toBe(first.text);
      if (count === 3 && !isAnswerLost) expect(first.text).toBe(died.text);
    },
  );

  it('answers 503 where it cannot know whether the record was written, and leaves the pet to a repetition', async () => {
    captureLog();
    const key = newKey();
    interceptDatabase(async ({ action, pass }) => {
      const answer = await pass();
      if (action === 'PutItem') throw connectionReset();
      return answer;
    });

    const unknown = await create(key);
    vi.restoreAllMocks();
    const petsBefore = await storedPets();
    const repeated = await create(key);

    expect(unknown.status).toBe(503);
    expect(petsBefore).toEqual([]);
    expect(repeated.status).toBe(201);
    expect(repeated.json.id).toBe(1);
  });

  it.each(['UpdateItem', 'PutItem'])(
    'makes one pet where each answer to %s is lost once',
    async (lost) => {
      const key = newKey();
      const lostOnce = new Set<string>();
      interceptDatabase(async ({ action, input, pass }) => {
        const answer = await pass();
        const write = `${action} ${JSON.stringify(input.TableName)}`;
        if (action !== lost || lostOnce.has(write)) return answer;
        lostOnce.add(write);
        throw connectionReset();
      });

      const first = await create(key);
      const second = await create(key);

      expect(first.status).toBe(201);
      expect(second.text).toBe(first.text);
      expect(await storedPets()).toHaveLength(1);
    },
  );

  it('finishes under another id where the reserved one was taken by then', async () => {
    captureLog();
    const key = newKey();
    await create(newKey());
    dieAfterWrites(2, false);
    await create(key);
    vi.restoreAllMocks();
    const stranger = { id: 2n, name: 'Stranger', categoryId: 1n, status: 'sold', token: 'other' };
    await storeItem({ pk: 'PET#2', statusShard: 'sold#0', ...stranger });

    const first = await create(key);
    const second = await create(key);

    expect(first.status).toBe(201);
    expect(first.json.id).toBeGreaterThan(2);
    expect(second.text).toBe(first.text);
    expect((await call(getPet, { petId: '2' })).json.name).toBe('Stranger');
    expect(await storedPets()).toHaveLength(3);
  });
});
