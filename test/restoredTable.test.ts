import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../functions/createPet.ts';
import { handler as getPet } from '../functions/getPet.ts';
import { handler as listPets } from '../functions/listPets.ts';
import { issueApiKey } from '../infra/tools/apiKeyRegistry.ts';
import { apiKey, call, loadHandler, registry } from './helpers/api.ts';
import { captureLog } from './helpers/captureLog.ts';
import { newKey } from './helpers/createWithKey.ts';
import { emptyStore, storedItems, storeItem, storeItems } from './helpers/database.ts';

const create = (name: string, idempotencyKey?: string) =>
  call(createPet, {
    body: { name, categoryId: 1 },
    headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
  });

const get = (id: number) => call(getPet, { petId: String(id) });

/** Sets the pets table back, as a restore does: counter and pets together. */
async function restoreTo(items: Awaited<ReturnType<typeof storedItems>>): Promise<void> {
  await emptyStore();
  await storeItems(items);
}

/** As an operator does after a restore. Gaps are allowed, so a large step skips every lost id. */
async function raiseCounter(by: bigint): Promise<void> {
  const counter = (await storedItems()).find(({ pk }) => pk === 'COUNTER');
  await storeItem({ pk: 'COUNTER', lastId: BigInt(String(counter?.lastId)) + by });
}

beforeEach(async () => {
  captureLog();
  await emptyStore();
});

describe('a pets table restored to an earlier point', () => {
  it('contains the pets of that point unchanged, and accepts new ones', async () => {
    const kept = [await create('Rex'), await create('Mia')];
    const snapshot = await storedItems();
    await create('Lost');
    await restoreTo(snapshot);

    const { status, json } = await create('New');

    expect(status).toBe(201);
    expect((await get(json.id)).json.name).toBe('New');
    for (const { json: pet } of kept) expect((await get(pet.id)).json).toEqual(pet);
    expect((await call(listPets)).json).toHaveLength(3);
  });

  it('never reuses the id of a lost pet after its counter is raised', async () => {
    await create('Rex');
    const snapshot = await storedItems();
    const lost = [await create('Lost'), await create('Lost too')].map(({ json }) => json.id);
    await restoreTo(snapshot);
    await raiseCounter(1_000_000n);

    const { json } = await create('New');

    expect(json.id).toBe(1_000_002);
    for (const id of lost) expect((await get(id)).status).toBe(404);
  });

  it('restores a lost pet under its id when its request is retried with its key', async () => {
    const key = newKey();
    await create('Rex');
    const snapshot = await storedItems();
    const lost = await create('Lost', key);
    await restoreTo(snapshot);

    const again = await create('Lost', key);

    expect(again.text).toBe(lost.text);
    expect((await get(lost.json.id)).text).toBe(lost.text);
  });

  it('never overwrites a newer pet when an old request is retried with its key', async () => {
    const key = newKey();
    await create('Rex');
    const snapshot = await storedItems();
    const lost = await create('Lost', key);
    await restoreTo(snapshot);
    const newer = await create('Newer');
    expect(newer.json.id).toBe(lost.json.id);

    const again = await create('Lost', key);

    expect(again.status).toBe(201);
    expect(again.json.id).not.toBe(newer.json.id);
    expect((await get(newer.json.id)).text).toBe(newer.text);
  });
});

describe('two stages that share their tables by mistake', () => {
  async function otherStage() {
    const key = await issueApiKey({ ...registry, stage: 'other' }, { name: 'of the other stage' });
    return {
      headers: { Authorization: `Bearer ${key}` },
      create: await loadHandler('createPet', { STAGE: 'other' }),
      list: await loadHandler('listPets', { STAGE: 'other' }),
    };
  }

  it('never give an id twice', async () => {
    const other = await otherStage();
    const body = { name: 'Rex', categoryId: 1 };

    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        n % 2 === 0
          ? call(createPet, { body })
          : call(other.create, { body, headers: other.headers }),
      ),
    );

    expect(responses.map(({ status }) => status)).toEqual(Array(40).fill(201));
    expect(new Set(responses.map(({ json }) => json.id)).size).toBe(40);
  });

  it('refuse the API keys of the other stage', async () => {
    const other = await otherStage();

    const responses = [
      await call(listPets, { headers: other.headers }),
      await call(other.list, { headers: { Authorization: `Bearer ${apiKey}` } }),
    ];

    expect(responses.map(({ status }) => status)).toEqual([401, 401]);
  });

  it('refuse the cursors of the other stage', async () => {
    const other = await otherStage();
    await create('Rex');
    await create('Mia');
    const { headers } = await call(listPets, { query: { limit: '1' } });
    const next = new URL(/<(.+)>/.exec(headers.Link ?? '')?.[1] ?? '').searchParams;

    const { status } = await call(other.list, {
      query: Object.fromEntries(next),
      headers: other.headers,
    });

    expect(status).toBe(400);
  });

  it('keep the same Idempotency-Key of two clients apart', async () => {
    const other = await otherStage();
    const key = newKey();
    const mine = await create('Rex', key);

    const theirs = await call(other.create, {
      body: { name: 'Mia', categoryId: 1 },
      headers: { ...other.headers, 'Idempotency-Key': key },
    });

    expect(theirs.status).toBe(201);
    expect(theirs.json.id).not.toBe(mine.json.id);
  });
});
