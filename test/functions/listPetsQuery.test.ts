import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { config } from '../../lib/config.ts';
import { encodeCursor } from '../../lib/pets/cursor.ts';
import { call } from '../helpers/api.ts';
import { emptyStore } from '../helpers/database.ts';

const list = (query: Record<string, string | string[]>) => call(listPets, { query });

const { stage } = config;
const genuine = encodeCursor(1n, { stage });

describe('listPets', () => {
  beforeEach(emptyStore);

  it.each([
    ['0'],
    ['101'],
    ['-1'],
    ['+1'],
    ['1.0'],
    ['1e1'],
    ['0x10'],
    [' 1'],
    [''],
    ['١'],
    ['9'.repeat(400)],
    ['ten'],
    [['1', '2']],
    [['1', '1']],
  ])('answers 400 for limit %j', async (limit) => {
    const { status, json } = await list({ limit });

    expect(status).toBe(400);
    expect(json).toEqual({
      code: 'bad_request',
      message: 'limit must be given once, as a whole number from 1 to 100 in decimal digits.',
      status: 400,
    });
  });

  it.each([['1'], ['100']])('takes limit %s', async (limit) => {
    expect((await list({ limit })).status).toBe(200);
  });

  it.each([['Sold'], ['lost'], [''], ['available,sold'], [['sold', 'sold']]])(
    'answers 400 for status %j',
    async (status) => {
      const { json } = await list({ status });

      expect(json).toEqual({
        code: 'bad_request',
        message: 'status must be given once, as one of available, pending, sold.',
        status: 400,
      });
    },
  );

  it('names all faults in one answer', async () => {
    const { json } = await list({ limit: '0', status: 'lost', cursor: '' });

    expect(json.message).toMatch(/^limit must .+; status must .+; cursor must .+\.$/);
  });

  it('ignores query parameters that it does not know', async () => {
    await call(createPet, { body: { name: 'Rex', categoryId: 1 } });

    const { status, json } = await list({ page: '7', ids: ['1', '2'], __proto__: 'x' });

    expect(status).toBe(200);
    expect(json).toHaveLength(1);
  });

  it.each([
    ['empty', ''],
    ['sent twice', [genuine, genuine]],
    ['no base64url', 'a+b/c='],
    ['cut', genuine.slice(0, -1)],
    ['lengthened', `${genuine}A`],
    ['a foreign token', Buffer.from('{"pk":"COUNTER"}').toString('base64url')],
    ['long', 'A'.repeat(10_000)],
  ])('answers 400 for a cursor that is %s', async (_case, cursor) => {
    const { status, json } = await list({ cursor });

    expect(status).toBe(400);
    expect(json).toEqual({
      code: 'bad_request',
      message: 'cursor must be given once, exactly as it stands in the Link header of a page.',
      status: 400,
    });
  });

  it.each([
    ['changed in a digit', `${genuine.slice(0, 8)}B${genuine.slice(9)}`],
    ['of another version', `B${genuine.slice(1)}`],
    ['of another stage', encodeCursor(1n, { stage: 'v1-production' })],
    ['of another filter', encodeCursor(1n, { stage, status: 'sold' })],
    ['of an id below 1', encodeCursor(0n, { stage })],
    ['of an id below zero', encodeCursor(-1n, { stage })],
  ])('answers 400 for a cursor that is %s, and how to go on', async (_case, cursor) => {
    const { status, json } = await list({ cursor });

    expect(status).toBe(400);
    expect(json).toEqual({
      code: 'bad_request',
      message:
        'cursor must be taken from the Link header of the same list, with the same status: begin again without a cursor.',
      status: 400,
    });
  });
});
