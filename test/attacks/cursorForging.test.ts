import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { config } from '../../lib/config.ts';
import { maxInt64, minInt64 } from '../../lib/int64.ts';
import { call } from '../helpers/api.ts';
import { interceptDatabase } from '../helpers/database.ts';

/** Everyone who has read the source can compute this: the checksum is no secret. */
function forge(lastId: bigint, { stage = config.stage, filter = 'all', version = 1 } = {}): string {
  const payload = Buffer.alloc(9);
  payload.writeUInt8(version);
  payload.writeBigInt64BE(lastId, 1);
  const scope = `${stage} ${filter} `;
  const checksum = createHash('sha256').update(scope).update(payload).digest().subarray(0, 6);
  return Buffer.concat([payload, checksum]).toString('base64url');
}

const list = (cursor: string) => call(listPets, { query: { cursor } });

beforeAll(async () => {
  for (const name of ['Rex', 'Mia', 'Bo']) {
    await call(createPet, { body: { name, categoryId: 1 } });
  }
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

  it.each([
    ['zero', forge(0n)],
    ['the least int64', forge(minInt64)],
    ['another stage', forge(1n, { stage: 'v1-production' })],
    ['another filter', forge(1n, { filter: 'sold' })],
    ['another version', forge(1n, { version: 2 })],
  ])('for %s gets 400', async (_case, cursor) => {
    expect((await list(cursor)).status).toBe(400);
  });

  it('with random bytes gets 400 without a read', async () => {
    await list(forge(1n));
    const actions = interceptDatabase(({ pass }) => pass());

    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 15, maxLength: 15 }), async (bytes) => {
        expect((await list(Buffer.from(bytes).toString('base64url'))).status).toBe(400);
      }),
      { numRuns: 100 },
    );

    expect(actions).toEqual([]);
  });
});
