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

describe('listPets', () => {
  beforeEach(emptyStore);

  it('answers 200 with an empty array where there are no pets', async () => {
    const { status, text, headers } = await list();

    expect(status).toBe(200);
    expect(text).toBe('[]');
    expect(headers).not.toHaveProperty('Link');
    expect(headers).not.toHaveProperty('Deprecation');
  });

  it('lists the pets of every status by ascending id', async () => {
    await createPets('sold', 'available', 'pending', 'sold');

    const { json } = await list();

    expect(json).toEqual([
      { id: 1, name: 'Pet 1', categoryId: 0, status: 'sold' },
      { id: 2, name: 'Pet 2', categoryId: 1, status: 'available' },
      { id: 3, name: 'Pet 3', categoryId: 2, status: 'pending' },
      { id: 4, name: 'Pet 4', categoryId: 3, status: 'sold' },
    ]);
  });

  it('lists the pets of one status alone where the filter names it', async () => {
    await createPets('sold', 'available', 'pending', 'sold');

    const { json } = await list({ status: 'sold' });

    expect(idsOf(json)).toEqual([1, 4]);
  });

  it('keeps int64 exact', async () => {
    await call(createPet, { body: '{"name":"Max","categoryId":9223372036854775807}' });
    await call(createPet, { body: '{"name":"Min","categoryId":-9223372036854775808}' });
    await call(createPet, { body: '{"name":"Odd","categoryId":9007199254740993}' });

    const { text } = await list();

    expect(text).toContain('"categoryId":9223372036854775807,');
    expect(text).toContain('"categoryId":-9223372036854775808,');
    expect(text).toContain('"categoryId":9007199254740993,');
  });

  it('gives 20 pets unless told, and a link to the rest', async () => {
    await createPets(...Array<PetStatus>(21).fill('available'));

    const { json, headers } = await list();

    expect(json).toHaveLength(20);
    expect(headers.Link).toMatch(
      /^<https:\/\/abc123\.execute-api\.eu-west-1\.amazonaws\.com\/v1-staging\/v1\/pets\?limit=20&cursor=[\w-]+>; rel="next"$/,
    );
  });

  it('walks all pages and yields each pet once', async () => {
    await createPets('sold', 'available', 'pending', 'sold', 'available', 'sold', 'pending');

    expect(await walk({ limit: '3' })).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect(await walk({ limit: '1', status: 'pending' })).toEqual([[3], [7], []]);
    expect(await walk({ limit: '2', status: 'sold' })).toEqual([[1, 4], [6]]);
    expect(await walk({ limit: '100' })).toEqual([[1, 2, 3, 4, 5, 6, 7]]);
  });

  it('keeps the filter in the link to the next page', async () => {
    await createPets('sold', 'sold');

    const { headers } = await list({ limit: '1', status: 'sold' });

    expect(nextQuery(headers)).toEqual({ limit: '1', status: 'sold', cursor: expect.any(String) });
  });

  it('links to no further page where the pets of every status came to their end', async () => {
    await createPets('sold', 'available', 'pending');

    const { json, headers } = await list({ limit: '3' });

    expect(json).toHaveLength(3);
    expect(headers).not.toHaveProperty('Link');
  });

  it('answers 400 where the filter changes on the way', async () => {
    await createPets('sold', 'sold');
    const { cursor = '' } = nextQuery((await list({ limit: '1', status: 'sold' })).headers) ?? {};

    expect((await list({ cursor, status: 'sold' })).status).toBe(200);
    expect((await list({ cursor, status: 'pending' })).status).toBe(400);
    expect((await list({ cursor })).status).toBe(400);
  });

  it('goes on after a cursor with another limit', async () => {
    await createPets('sold', 'sold', 'sold', 'sold');
    const { cursor = '' } = nextQuery((await list({ limit: '1' })).headers) ?? {};

    const { json } = await list({ limit: '2', cursor });

    expect(idsOf(json)).toEqual([2, 3]);
  });

  it('yields a pet that came during a walk at most once, and every older one', async () => {
    await createPets('sold', 'sold', 'sold');
    const first = await list({ limit: '2' });
    await createPets('sold');

    const second = await list(nextQuery(first.headers));

    expect(idsOf(second.json)).toEqual([3, 4]);
  });

  it('skips a damaged pet, logs it, and still fills the page', async () => {
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

  it.each(['available', 'pending', 'sold'])(
    'answers 503, and no pet, where the query of %s is throttled for good',
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
  ])('skips a stored pet with %s', async (_case, damage) => {
    captureLog();
    await createPets('sold');
    const pet = { id: 5n, name: 'Rex', categoryId: 1n, status: 'sold', statusShard: 'sold#0' };
    await storeItem({ pk: 'PET#5', ...pet, ...damage });

    expect(await walk({ limit: '1' })).toEqual([[1], []]);
  });

  it.each(['name', 'categoryId', 'status'])('skips a stored pet without a %s', async (member) => {
    captureLog();
    await createPets('sold');
    const pet = { id: 5n, name: 'Rex', categoryId: 1n, status: 'sold', statusShard: 'sold#0' };
    const rest = Object.entries(pet).filter(([name]) => name !== member);
    await storeItem({ pk: 'PET#5', ...Object.fromEntries(rest) });

    expect(await walk({ limit: '1' })).toEqual([[1], []]);
  });

  it('only queries pets by status', () => {
    expect(permissionsOf('listPets')).toEqual(['Query pets/byStatus']);
  });
});
