import { beforeEach, describe, expect, it } from 'vitest';
import { handler } from '../../../functions/createPet.ts';
import { handler as listPets } from '../../../functions/listPets.ts';
import type { Handler } from '../../../lib/http/handler.ts';
import { maxInt64 } from '../../../lib/int64.ts';
import { call, loadHandler } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import {
  connectionReset,
  emptyTables,
  interceptDatabase,
  storedItems,
  storeItem,
  takeIds,
} from '../../helpers/database.ts';
import { rex as body } from '../../helpers/samplePets.ts';

/** Starts a Lambda instance, and records what it sends to the database. */
async function startInstance(
  idsPerLease: number,
  intercept?: Parameters<typeof interceptDatabase>[0],
) {
  const createPet = await loadHandler('createPet', { IDS_PER_LEASE: String(idsPerLease) });
  return { createPet, actions: interceptDatabase(intercept) };
}

async function createdId(createPet: Handler): Promise<number> {
  const { status, json } = await call(createPet, { body });
  expect(status).toBe(201);
  return json.id;
}

beforeEach(emptyTables);

describe('leaseIds', () => {
  it('gives the pets that are created at once the ids of shared leases, none of them twice', async () => {
    const { createPet, actions } = await startInstance(5);

    const ids = await Promise.all(Array.from({ length: 30 }, () => createdId(createPet)));

    expect(new Set(ids).size).toBe(30);
    expect(actions.filter((action) => action === 'UpdateItem')).toHaveLength(6);
  });

  it('gives no id beyond the lease to requests that come while it is on its way', async () => {
    const { promise: othersCame, resolve: sendLease } = Promise.withResolvers<void>();
    const { createPet, actions } = await startInstance(1, async ({ action, pass }) => {
      if (action === 'UpdateItem') await othersCame;
      return pass();
    });
    const first = createdId(createPet);
    await expect.poll(() => actions).toContain('UpdateItem');
    const others = [createdId(createPet), createdId(createPet)];
    setTimeout(sendLease, 50);

    const ids = await Promise.all([first, ...others]);

    const [counter] = (await storedItems()).filter(({ pk }) => pk === 'COUNTER');
    expect(Math.max(...ids)).toBeLessThanOrEqual(Number(counter?.lastId));
  });

  it('fails only the requests that wait for a lease that fails', async () => {
    captureLog();
    let isAway = true;
    const { createPet } = await startInstance(5, async ({ action, pass }) => {
      if (isAway && action === 'UpdateItem') throw connectionReset();
      return pass();
    });

    const failed = await Promise.all([call(createPet, { body }), call(createPet, { body })]);
    isAway = false;

    expect(failed.map(({ status }) => status)).toEqual([503, 503]);
    expect(await createdId(createPet)).toBe(1);
  });

  it('gives up a lease whose first id is taken, because its other ids are taken too', async () => {
    captureLog();
    await takeIds(5);
    const { createPet } = await startInstance(5);

    const ids = [await createdId(createPet), await createdId(createPet)];

    // 1 is taken, and the counter was at 5. A lease that goes on would try 2 and then get 9.
    expect(ids).toEqual([7, 8]);
  });
});

describe('advanceCounter', () => {
  it('gives the last id of int64', async () => {
    await storeItem({ pk: 'COUNTER', lastId: maxInt64 - 1n });

    const { status, text } = await call(handler, { body });

    expect(status).toBe(201);
    expect(text).toContain(`"id":${maxInt64}`);
    expect((await call(listPets)).text).toBe(`[${text}]`);
  });

  it('responds 500 and logs what to do if the counter is a fraction', async () => {
    const log = captureLog();
    await storeItem({ pk: 'COUNTER', lastId: 1.5 });

    const { status } = await call(handler, { body });

    expect(status).toBe(500);
    expect(log.lines()[0]?.cause).toMatchObject({
      message: expect.stringContaining('Set it to the highest id in use.'),
    });
  });

  it.each([
    ['at the end of int64', maxInt64],
    ['below zero', -1n],
    ['a text', 'seven'],
  ])(
    'responds 500, logs what to do and does not change the counter if it is %s',
    async (_case, lastId) => {
      const log = captureLog();
      await storeItem({ pk: 'COUNTER', lastId });

      const responses = [await call(handler, { body }), await call(handler, { body })];

      expect(responses.map(({ status }) => status)).toEqual([500, 500]);
      expect(await storedItems()).toEqual([{ pk: 'COUNTER', lastId }]);
      expect(log.lines()[0]?.cause).toMatchObject({
        message: `The id counter cannot be used: lastId of the item COUNTER is not a number from 0 to ${maxInt64 - 1n}. Set it to the highest id in use.`,
        cause: { name: 'ConditionalCheckFailedException' },
      });
    },
  );
});
