import { beforeEach, describe, expect, it } from 'vitest';
import { handler as listPets } from '../../functions/listPets.ts';
import { encodeCursor } from '../../lib/dynamodb/pages.ts';
import { issueApiKey } from '../../tools/apiKeyRegistry.ts';
import { bearer, call, loadHandler, registry } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { dynamoDbError, emptyTables, interceptDatabase, storeItem } from '../helpers/database.ts';
import { otherFilter, rexFilter, storedPet } from '../helpers/samplePets.ts';

type Query = Record<string, string | string[]>;

const list = (query: Query = {}) => call(listPets, { query });

/** Stores pets with the ids 6, 7, 8 and so on: a longer id follows 9. */
async function storePets(...members: (typeof rexFilter)[]): Promise<void> {
  await Promise.all(
    members.map((changed, index) => storeItem(storedPet(BigInt(index + 6), changed))),
  );
}

/** The query of the next page, from the `Link` header as a client would read it. */
function nextQuery(headers: Record<string, string>): Query | undefined {
  const address = /^<([^>]+)>; rel="next"/.exec(headers.Link ?? '')?.[1];
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

beforeEach(emptyTables);

// test/contract tests what clients see. These tests cover exact pages and faults.

describe('listPets', () => {
  it('ends a page at its limit, and a walk when no pet is left', async () => {
    expect(await walk({})).toEqual([[]]);
    const [rex, other] = [rexFilter, otherFilter];
    await storePets(other, rex, rex, other, rex, other, rex);

    expect(await walk({ limit: '3' })).toEqual([[6, 7, 8], [9, 10, 11], [12]]);
    expect(await walk({ limit: '1', ...other })).toEqual([[6], [9], [11], []]);
    expect(await walk({ limit: '3', ...rex })).toEqual([[7, 8, 10], [12]]);
    expect(await walk({ limit: '7' })).toEqual([[6, 7, 8, 9, 10, 11, 12], []]);
  });

  it.each([200, 400])('responds %i to HEAD without a body', async (expected) => {
    const query = { limit: expected === 200 ? '1' : '0' };

    const { status, text } = await call(listPets, { query, event: { httpMethod: 'HEAD' } });

    expect({ status, text }).toEqual({ status: expected, text: '' });
  });

  it('continues after a cursor of an earlier release', async () => {
    await storePets(rexFilter, rexFilter);
    const cursor = encodeCursor(6n, `${registry.stage} pets byCollection pets`);

    const { json } = await list({ cursor });

    expect(json.map(({ id }: { id: number }) => id)).toEqual([7]);
  });

  it('responds 400 for a cursor of another stage, even if both had the same tables', async () => {
    await storePets(rexFilter, rexFilter);
    const query = nextQuery((await list({ limit: '1' })).headers) ?? expect.fail();
    const other = { ...registry, stage: 'v1-other' };
    const handler = await loadHandler('listPets', { STAGE: other.stage });
    const key = await issueApiKey(other, { name: 'test' });

    const { status, json } = await call(handler, { query, ...bearer(key) });

    expect({ status, message: json.message }).toEqual({
      status: 400,
      message: expect.stringMatching(/^cursor must /),
    });
  });

  it('responds 503 without a pet if DynamoDB keeps throttling its query', async () => {
    captureLog();
    await storePets(rexFilter);
    await list(); // from here on the instance remembers the key
    interceptDatabase(() => Promise.reject(dynamoDbError('ThrottlingException', 400)));

    const { status, json } = await list();

    expect({ status, code: json.code }).toEqual({ status: 503, code: 'service_unavailable' });
  });
});
