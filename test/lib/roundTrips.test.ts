import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { petsTable } from '../../lib/dynamodb/tables.ts';
import { call } from '../helpers/api.ts';
import { emptyStore, isEmbedded, storeItems } from '../helpers/database.ts';
import { measureDatabase } from '../helpers/measureDatabase.ts';
import { rex as body } from '../helpers/samplePets.ts';

async function createPets(count: number, status: string): Promise<void> {
  const pets = Array.from({ length: count }, () => call(createPet, { body: { ...body, status } }));
  await Promise.all(pets);
}

const pet = { action: 'PutItem', units: isEmbedded ? 1 : 2 };

beforeEach(async () => {
  await emptyStore();
  await call(listPets); // from here on the instance remembers the key
});

describe('round trips and capacity', () => {
  it('getPet reads once, strongly: 1 unit', async () => {
    await createPets(1, 'sold');
    const { json } = await call(listPets);
    const calls = measureDatabase();

    await call(getPet, { petId: String(json[0].id) });

    expect(calls).toMatchObject([{ action: 'GetItem', units: 1 }]);
  });

  it('createPet takes an id and writes the pet: 1 unit each, and 1 for its entry in the index', async () => {
    const calls = measureDatabase();

    await call(createPet, { body });

    // The embedded engine does not charge for an index.
    expect(calls).toMatchObject([{ action: 'UpdateItem', units: 1 }, pet]);
    // Every index of the table has every pet.
    expect(Object.keys(petsTable.indexes)).toEqual(['byStatus']);
  });

  it('createPet with a new Idempotency-Key costs one read and one write more, and a retry two reads and one write', async () => {
    const sent = { body, idempotencyKey: 'counted' };
    const calls = measureDatabase();

    await call(createPet, sent);
    const first = calls.splice(0);
    await call(createPet, sent);

    const record = { action: 'PutItem', units: 1 };
    const read = { action: 'GetItem', units: 1 };
    expect(first).toMatchObject([read, { action: 'UpdateItem', units: 1 }, record, pet]);
    // A refused write reports no units. On AWS it costs 1.
    expect(calls).toMatchObject([read, { action: 'PutItem' }, read]);
  });

  it('createPet costs three round trips more for each id that is taken, and four with an Idempotency-Key', async () => {
    // The first pet skips id 1 and gets 3. The second one skips 4.
    await storeItems([{ pk: 'PET#1' }, { pk: 'PET#4' }]);
    const calls = measureDatabase();

    await call(createPet, { body });
    const withoutKey = calls.splice(0);
    await call(createPet, { body, idempotencyKey: 'taken' });

    const counter = { action: 'UpdateItem', units: 1 };
    const refused = [{ action: 'PutItem' }, { action: 'GetItem', units: 1 }];
    const record = [{ action: 'GetItem' }, counter, { action: 'PutItem', units: 1 }];
    expect(withoutKey).toMatchObject([counter, ...refused, counter, pet]);
    expect(calls).toMatchObject([...record, ...refused, counter, { action: 'UpdateItem' }, pet]);
  });

  it('listPets of all statuses queries their partitions of the index at once', async () => {
    await createPets(3, 'available');
    await createPets(3, 'sold');
    const calls = measureDatabase();

    await call(listPets);

    expect(calls.map(({ action }) => action)).toEqual(['Query', 'Query', 'Query']);
    const lastSentAt = Math.max(...calls.map(({ sentAt }) => sentAt));
    const firstResponseAt = Math.min(...calls.map(({ respondedAt }) => respondedAt));
    expect(lastSentAt).toBeLessThan(firstResponseAt);
    // Half a unit for up to 4 KB; on AWS an empty partition costs as much.
    expect(calls.map(({ units }) => units).sort()).toEqual([0, 0.5, 0.5]);
  });

  it('listPets of one status queries one partition, on the last page as on the first', async () => {
    await createPets(5, 'sold');
    const { headers } = await call(listPets, { query: { status: 'sold', limit: '3' } });
    const cursor = /cursor=([\w-]+)/.exec(headers.Link ?? '')?.[1] ?? '';
    const calls = measureDatabase();

    await call(listPets, { query: { status: 'sold', limit: '3', cursor } });

    expect(calls).toMatchObject([{ action: 'Query', units: 0.5, readItems: 2 }]);
  });
});
