import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { maxInt64 } from '../../lib/int64.ts';
import { call } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { emptyStore, interceptDatabase, storedItems, storeItem } from '../helpers/database.ts';

const create = () => call(createPet, { body: { name: 'Rex', categoryId: 1 } });

beforeEach(emptyStore);

describe('nextPetId', () => {
  it('gives the last id of int64', async () => {
    await storeItem({ pk: 'COUNTER', lastId: maxInt64 - 1n });

    const { status, text } = await create();

    expect(status).toBe(201);
    expect(text).toContain(`"id":${maxInt64}`);
  });

  it.each([
    ['at the end of int64', maxInt64],
    ['beyond int64', maxInt64 + 1n],
    ['below zero', -1n],
    ['a text', 'seven'],
  ])(
    'answers 500, logs what to do and leaves the counter alone where it is %s',
    async (_case, lastId) => {
      const log = captureLog();
      await storeItem({ pk: 'COUNTER', lastId });

      const answers = [await create(), await create()];

      expect(answers.map(({ status }) => status)).toEqual([500, 500]);
      expect(await storedItems()).toEqual([{ pk: 'COUNTER', lastId }]);
      expect(log.lines()[0]?.cause).toMatchObject({
        message: expect.stringMatching(
          /^The id counter gives no further id: .+ Set it to the highest id that was given out\.$/,
        ),
      });
    },
  );

  it('asks the database once, checks included', async () => {
    await create();
    const actions = interceptDatabase(({ pass }) => pass());

    await create();

    expect(actions).toEqual(['UpdateItem', 'PutItem']);
  });
});
