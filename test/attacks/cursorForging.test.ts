import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { config } from '../../lib/config.ts';
import { maxInt64 } from '../../lib/int64.ts';
import { encodeCursor } from '../../lib/pets/cursor.ts';
import { call } from '../helpers/api.ts';
import { interceptDatabase } from '../helpers/database.ts';
import { rex } from '../helpers/samplePets.ts';

// test/lib/pets/cursor.test.ts shows which cursors get 400. Here: what a forged one reaches.

/** Every reader of the source can compute this: the checksum is not a secret. */
const forge = (lastId: bigint) => encodeCursor(lastId, { stage: config.stage });

const list = (cursor: string) => call(listPets, { query: { cursor } });

beforeAll(async () => {
  for (let id = 1; id <= 3; id += 1) await call(createPet, { body: rex });
});

describe('cursor forging', () => {
  it('with a correct checksum gives only a position in a list that the caller may read anyway', async () => {
    const { status, json } = await list(forge(1n));

    expect(status).toBe(200);
    expect(json.map(({ id }: { id: number }) => id)).toEqual([2, 3]);
  });

  it('beyond the last id gives an empty page', async () => {
    const { status, text } = await list(forge(maxInt64));

    expect([status, text]).toEqual([200, '[]']);
  });

  it('with random bytes gets 400 without a read', async () => {
    await list(forge(1n));
    const actions = interceptDatabase(({ pass }) => pass());

    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 15, maxLength: 15 }), async (bytes) => {
        expect((await list(Buffer.from(bytes).toString('base64url'))).status).toBe(400);
      }),
    );

    expect(actions).toEqual([]);
  });
});
