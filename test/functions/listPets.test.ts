import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import type { PetStatus } from '../../lib/schemas.ts';
import { call } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { dynamoDbError, emptyStore, interceptDatabase, storeItem } from '../helpers/database.ts';
import { permissionsOf } from '../helpers/permissions.ts';

type Query = Record<string, string | string[]>;

const list = (query: Query = {}) => call(listPets, { query });

/** Creates pets one after the other, so that the ids are 1, 2, 3 and so on. */
async function createPets(...statuses: PetStatus[]): Promise<void> {
  for (const [index, status] of statuses.entries()) {
    await call(createPet, { body: { name: `Pet ${index + 1}`, categoryId: index, status } });
  }
}

/** The query of the next page, from the `Link` header as a client would read it. */
function nextQuery(headers: Record<string, string>): Query | undefined {
  const address = /^<([^>]+)>; rel="next"$/.exec(headers.Link ?? '')?.[1];
  return address === undefined ? undefined : Object.fromEntries(new URL(address).searchParams);
}

async function walk(query: Query): Promise<number[][]> {
  const pages: number[][] = [];
  for (let next: Query | undefined = query; next !== undefined; ) {
    const { json, headers } = await list(next);
    pages.push(json.map(({ id }: { id: number }) => id));
    next = nextQuery(headers);
  }
  return pages;
}

const idsOf = (pets: { id: number }[]) => pets.map(({ id }) => id);

// test/contract tests what clients see. These tests cover exact pages and messages, damage and faults.

describe('listPets', () => {
  beforeEach(emptyStore);

  it('returns an empty array without a link if there are no pets', async () => {
    const { status, text, headers } = await list();

    expect(status).toBe(200);
    expect(text).toBe('[]');
    expect(headers).not.toHaveProperty('Link');
  });

  it('links to the next page below the stage', async () => {
    await createPets('sold', 'available');

    const { headers } = await list({ limit: '1' });

    expect(headers.Link).toMatch(
      /^<https:\/\/abc123\.execute-api\.eu-west-1\.amazonaws\.com\/v1-staging\/v1\/pets\?limit=1&cursor=[\w-]+>; rel="next"$/,
    );
  });

  it('ends a page at its limit, and a walk when no pet is left', async () => {
    await createPets('sold', 'available', 'pending', 'sold', 'available', 'sold', 'pending');

    expect(await walk({ limit: '3' })).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect(await walk({ limit: '1', status: 'pending' })).toEqual([[3], [7], []]);
    expect(await walk({ limit: '2', status: 'sold' })).toEqual([[1, 4], [6]]);
    expect(await walk({ limit: '100' })).toEqual([[1, 2, 3, 4, 5, 6, 7]]);
  });

  it('links to no next page if every status is at its end', async () => {
    await createPets('sold', 'available', 'pending');

    const { json, headers } = await list({ limit: '3' });

    expect(json).toHaveLength(3);
    expect(headers).not.toHaveProperty('Link');
  });

  it('skips a damaged pet, logs it, and fills the page', async () => {
    const log = captureLog();
    await createPets('sold', 'sold', 'sold');
    await storeItem({ pk: 'PET#2', id: 2n, statusShard: 'sold#0', status: 'sold', name: 'Pet 2' });

    const limits: unknown[] = [];
    interceptDatabase(({ input, pass }) => {
      if (input.Limit) limits.push(input.Limit);
      return pass();
    });

    const { status, json } = await list({ limit: '2', status: 'sold' });

    expect(status).toBe(200);
    expect(idsOf(json)).toEqual([1, 3]);
    expect(limits).toEqual([2, 1]);
    expect(log.text()).toContain('"pk":"PET#2"');
  });

  it.each([0n, -1n])('skips a stored pet with the id %s, which getPet cannot read', async (id) => {
    captureLog();
    await createPets('sold');
    const others = { statusShard: 'sold#0', status: 'sold', name: 'Pet', categoryId: 1n };
    await storeItem({ pk: `PET#${id}`, id, ...others });

    const { json } = await list({ status: 'sold' });

    expect(idsOf(json)).toEqual([1]);
  });

  it.each(['available', 'pending', 'sold'])(
    'responds 503 without a pet if DynamoDB keeps throttling the query of %s',
    async (throttled) => {
      captureLog();
      await createPets('sold', 'available', 'pending');
      const isThrottled = (input: object) => JSON.stringify(input).includes(`"${throttled}#0"`);
      interceptDatabase(({ input, pass }) =>
        isThrottled(input) ? Promise.reject(dynamoDbError('ThrottlingException', 400)) : pass(),
      );

      const { status, headers, json } = await list();

      expect(status).toBe(503);
      expect(headers['Retry-After']).toBe('1');
      expect(json).toMatchObject({ code: 'service_unavailable' });
    },
  );

  it.each([
    ['a fractional category', { categoryId: 1.5 }],
    ['a fractional id', { id: 1.5 }],
    ['a category beyond int64', { categoryId: 2n ** 63n }],
    ['a status of no pet', { status: 'lost' }],
    ['a name that is no string', { name: 7 }],
    ['no name', { name: undefined }],
    ['no category', { categoryId: undefined }],
    ['no status', { status: undefined }],
  ])('skips a stored pet with %s', async (_case, damage) => {
    captureLog();
    await createPets('sold');
    const pet = { id: 5n, name: 'Rex', categoryId: 1n, status: 'sold', statusShard: 'sold#0' };
    const members = Object.entries({ ...pet, ...damage }).filter(
      ([, value]) => value !== undefined,
    );
    await storeItem({ pk: 'PET#5', ...Object.fromEntries(members) });

    expect(await walk({ limit: '1' })).toEqual([[1], []]);
  });

  it('only queries pets by status', () => {
    expect(permissionsOf('listPets')).toEqual(['Query pets/byStatus']);
  });

  it.each([
    [
      { limit: '0', status: ['sold', 'sold'], cursor: 'a+b/c=' },
      'limit must be a single integer from 1 to 100; status must be sent only once; cursor must be the unchanged cursor of a Link header.',
    ],
    [
      { limit: ['1', '1'], status: 'lost', cursor: ['a', 'a'] },
      'limit must be a single integer from 1 to 100; status must be one of available, pending, sold; cursor must be sent only once.',
    ],
    [
      { cursor: 'A'.repeat(20) },
      'cursor must be unchanged and sent with the same status as its list. To start again, send no cursor.',
    ],
  ])('says what is valid, given %j', async (query, message) => {
    const { status, json } = await list(query);

    expect(status).toBe(400);
    expect(json).toEqual({ code: 'bad_request', message, status: 400 });
  });
});
