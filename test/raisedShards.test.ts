import { beforeEach, describe, expect, it } from 'vitest';
import type { Handler } from '../lib/http/handler.ts';
import { call, loadHandler } from './helpers/api.ts';
import { emptyStore } from './helpers/database.ts';
import { rex, rexFilter } from './helpers/samplePets.ts';

/** The settings before, between and after the two deployments that raise `shards` and `writeShards`. */
const before = { SHARDS: '1', WRITE_SHARDS: '1' };
const between = { SHARDS: '4', WRITE_SHARDS: '1' };
const after = { SHARDS: '4', WRITE_SHARDS: '4' };

type Settings = typeof before;
type Instance = { create: () => Promise<number>; list: Handler };

/** Loads functions with these settings. During a deployment, old and new instances run side by side. */
async function startInstance(settings: Settings): Promise<Instance> {
  const createPet = await loadHandler('createPet', settings);
  const list = await loadHandler('listPets', settings);
  return {
    create: async () => (await call(createPet, { body: rex })).json.id,
    list,
  };
}

function createTen([first, second]: readonly [Instance, Instance]): Promise<number[]> {
  const instances = Array.from({ length: 10 }, (_, n) => (n % 3 === 0 ? first : second));
  return Promise.all(instances.map(({ create }) => create()));
}

/** Walks all pages, with alternating instances and while pets are created. Returns the listed ids. */
async function walk(
  instances: readonly [Instance, Instance],
  query: Record<string, string>,
): Promise<number[]> {
  const ids: number[] = [];
  let cursor: string | undefined;
  for (let page = 0; page === 0 || cursor !== undefined; page += 1) {
    const { list } = instances[page % 2] as Instance;
    const { json, headers } = await call(list, {
      query: { limit: '3', ...query, ...(cursor && { cursor }) },
    });
    ids.push(...json.map(({ id }: { id: number }) => id));
    cursor = /cursor=([\w-]+)/.exec(headers.Link ?? '')?.[1];
    if (page < 3) await (instances[(page + 1) % 2] as Instance).create();
  }
  return ids;
}

beforeEach(emptyStore);

describe('raising shards', () => {
  it.each([
    ['the deployment that raises shards', before, between],
    ['its rollback', between, before],
    ['the deployment that raises writeShards', between, after],
    ['its rollback', after, between],
  ])('lists each pet of a page walk exactly once during %s', async (_deployment, from, to) => {
    const instances = [await startInstance(from), await startInstance(to)] as const;
    const older = await createTen(instances);

    for (const query of [{}, rexFilter]) {
      const seen = await walk(instances, query);

      expect(seen).toEqual(expect.arrayContaining(older));
      expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
    }
  });

  it('hides pets from old instances if one deployment raises both', async () => {
    const instances = [await startInstance(before), await startInstance(after)] as const;
    const older = await createTen(instances);

    const { json } = await call(instances[0].list, { query: { limit: '100' } });

    expect(json.length).toBeLessThan(older.length);
  });
});
