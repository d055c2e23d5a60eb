import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, type TestContext } from 'vitest';
import { addSamplePet } from './addSamplePet.ts';
import { bodyWith, filter, minimal } from './petResource.ts';
import { expectError, expectStatus, type Received, send } from './send.ts';
import { pathOf, service, skipUnlessPetsMayBeAdded } from './serviceUnderTest.ts';

type Pet = Record<typeof filter.name, string>;

type Page = { received: Received; ids: bigint[]; nextPath: string | undefined };

const pollEveryMs = 250;

/** The pages of 100 pets that a test reads on its way to the newest ones. */
const maxPages = 200;

const sampleFilter = `${filter.name}=${filter.sample}`;

async function readPage(path: string): Promise<Page> {
  const received = await send('GET', path);
  expectStatus(received, 200);
  const next = /<([^>]*)>\s*;\s*rel="?next"?/.exec(received.headers.get('Link') ?? '')?.[1];
  return {
    received,
    ids: received.json.map(({ id }: { id: bigint }) => id),
    nextPath: next === undefined ? undefined : pathOf(next),
  };
}

async function walk(path: string): Promise<Page[]> {
  const pages: Page[] = [];
  for (let next: string | undefined = path; next !== undefined; next = pages.at(-1)?.nextPath) {
    pages.push(await readPage(next));
  }
  return pages;
}

const idsOf = (pages: Page[]) => pages.flatMap(({ ids }) => ids);
const inOrder = (ids: bigint[]) => [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));

/** Returns a page of one pet that has a next page. In read-only mode, the store must already have two pets. */
async function readFirstOfPages(
  context: TestContext,
  filtered: string,
): Promise<Page & { nextPath: string }> {
  if (service.mode !== 'readOnly') {
    await addSamplePet(context, 'largest');
    await addSamplePet(context, 'odd');
  }
  const untilMs = Date.now() + service.listDelayMs;
  for (;;) {
    const page = await readPage(`/pets?limit=1${filtered}`);
    if (page.nextPath !== undefined) return { ...page, nextPath: page.nextPath };
    context.skip(service.mode === 'readOnly', 'the store has no two pets of this filter');
    expect(Date.now(), 'a second page in time').toBeLessThan(untilMs);
    await wait(pollEveryMs);
  }
}

const otherThan = (character: string) => (character === 'x' ? 'y' : 'x');

const parametersOf = (path: string) => new URLSearchParams(path.split('?')[1]);

describe('listPets', () => {
  it('returns at most 20 pets by default', async () => {
    expect((await readPage('/pets')).ids.length).toBeLessThanOrEqual(20);
  });

  it('returns pets by ascending id', async () => {
    const { ids } = await readPage('/pets?limit=100');

    expect(ids).toEqual(inOrder(ids));
  });

  it.for(filter.values)('returns only %s pets on request', async (value) => {
    const { received } = await readPage(`/pets?${filter.name}=${value}&limit=100`);

    const others = received.json.filter((pet: Pet) => pet[filter.name] !== value);
    expect(others).toEqual([]);
  });

  it('ignores unknown parameters, even repeated ones', async () => {
    await readPage('/pets?limit=1&colour=brown&ids=1&ids=2&__proto__=x');
  });

  it.for([
    ['limit', ['0', '020', '101', '-1', '%2B1', '1.0', '1e1', '0x10', '%201', '', '%D9%A1', 'ten']],
    ['limit', ['9'.repeat(400), '1&limit=2', '1&limit=1']],
    [filter.name, filter.refused],
    ['cursor', ['', 'x', 'a%2Bb/c=', 'AAAAAAAAAAAAAAAAAAAA', 'eyJwayI6IkNPVU5URVIifQ']],
    ['cursor', ['A'.repeat(8000)]],
  ] as const)('responds 400 for the %s of %j', async ([name, values]) => {
    for (const value of values) {
      const refused = await send('GET', `/pets?${name}=${value}`);

      expectError(refused, 'bad_request', new RegExp(`^${name} must .+\\.$`));
    }
  });

  it('names all faults in one message', async () => {
    const refused = await send('GET', `/pets?limit=0&${filter.name}=lost&cursor=x`);

    for (const name of ['limit', filter.name, 'cursor']) {
      expectError(refused, 'bad_request', new RegExp(`(^|; )${name} must [^;]+[;.]`));
    }
  });
});

describe('listPets by pages', () => {
  it('links to a next page with the same limit and filter', async (context) => {
    const { nextPath } = await readFirstOfPages(context, `&${sampleFilter}`);

    expect(nextPath).toMatch(/^\/pets\?/);
    expect([...parametersOf(nextPath)]).toEqual([
      ['limit', '1'],
      [filter.name, filter.sample],
      ['cursor', expect.stringMatching(/^[\w-]+$/)],
    ]);
  });

  it('returns the same pets in pages of 1 as in a page of 3', async (context) => {
    await readFirstOfPages(context, `&${sampleFilter}`);
    const { ids } = await readPage(`/pets?limit=3&${sampleFilter}`);

    const pages = [await readPage(`/pets?limit=1&${sampleFilter}`)];
    while (pages.length < ids.length) {
      pages.push(await readPage(pages.at(-1)?.nextPath ?? `/pets?limit=1&${sampleFilter}`));
    }

    expect(pages.map((page) => page.ids)).toEqual(ids.map((id) => [id]));
  });

  it('continues after a cursor with another limit', async (context) => {
    const { nextPath } = await readFirstOfPages(context, `&${sampleFilter}`);
    const second = await readPage(nextPath);

    const rest = await readPage(nextPath.replace('limit=1', 'limit=2'));

    expect(rest.ids[0]).toBe(second.ids[0]);
  });

  it.for<[string, (path: string) => string]>([
    ['of another filter', (path) => path.replace(`=${filter.sample}`, `=${filter.other}`)],
    ['without its filter', (path) => path.replace(`&${sampleFilter}`, '')],
    ['that is incomplete', (path) => path.slice(0, -1)],
    ['that is longer', (path) => `${path}A`],
    ['of another version', (path) => path.replace(/cursor=./, 'cursor=B')],
    ['that is sent twice', (path) => path.replace(/(&cursor=.+)/, '$1$1')],
    ['with a changed character', (path) => path.replace(/(?<=cursor=.{12})./, otherThan)],
  ])('responds 400 for a cursor %s', async ([, change], context) => {
    const { nextPath } = await readFirstOfPages(context, `&${sampleFilter}`);

    expectError(await send('GET', change(nextPath)), 'bad_request', /^cursor must .+\.$/);
  });

  it('shows new pets once, in the order of their ids', async (context) => {
    const added = [await addSamplePet(context, 'largest'), await addSamplePet(context, 'odd')];
    const newIds = inOrder(added.map(({ json }) => json.id));
    const isBefore = ({ ids }: Page) => (ids.at(-1) ?? 0n) < (newIds[0] ?? 0n);

    let path = `/pets?limit=100&${sampleFilter}`;
    let page = await readPage(path);
    for (let n = 1; page.nextPath !== undefined && isBefore(page); n += 1) {
      context.skip(n === maxPages, 'the store has too many pets of this filter');
      path = page.nextPath;
      page = await readPage(path);
    }

    const untilMs = Date.now() + service.listDelayMs;
    for (;;) {
      const pages = await walk(path);
      const ids = idsOf(pages);
      expect(ids).toEqual(inOrder(ids));
      const pets = pages.flatMap(({ received }) => received.json);
      const shown = pets.filter(({ id }) => newIds.includes(id));
      // Whole pets are compared, because some members need every digit of an int64.
      if (shown.length > 0)
        expect(added.map(({ json }) => json)).toEqual(expect.arrayContaining(shown));
      if (shown.length === newIds.length) break;
      expect(Date.now(), 'both new pets in time').toBeLessThan(untilMs);
      await wait(pollEveryMs);
    }
  });

  it('yields every pet exactly once, with any limit and filter', async (context) => {
    skipUnlessPetsMayBeAdded(context, 'any');
    const known = (await walk('/pets')).flatMap(({ received }) => received.json);
    const values = [...filter.values, filter.sample];
    const created = Array.from({ length: 25 }, (_, n) => {
      const body = bodyWith({ [filter.name]: `"${values[n % values.length]}"` });
      return send('POST', '/pets', { body });
    });
    known.push(...(await Promise.all(created)).map(({ json }) => json));
    const expected = (value?: string) =>
      inOrder(known.filter((pet) => !value || pet[filter.name] === value).map(({ id }) => id));

    expect(idsOf(await walk('/pets'))).toEqual(expected());
    const { ids, nextPath } = await readPage('/pets');
    expect(ids).toHaveLength(20);
    expect([...parametersOf(nextPath ?? '').keys()]).toEqual(['limit', 'cursor']);
    for (const [index, value] of filter.values.entries()) {
      const limit = [100, 1, 3][index] ?? 20;
      const pages = await walk(`/pets?limit=${limit}&${filter.name}=${value}`);

      expect(idsOf(pages)).toEqual(expected(value));
      for (const { ids } of pages) expect(ids.length).toBeLessThanOrEqual(limit);
    }
  });

  it('yields a pet created during the walk at most once, and every older pet', async (context) => {
    skipUnlessPetsMayBeAdded(context, 'any');
    // This call adds the pets that a walk of two pages needs.
    await readFirstOfPages(context, '');
    const before = idsOf(await walk('/pets?limit=100'));
    const { ids, nextPath } = await readFirstOfPages(context, '');
    const { json } = await send('POST', '/pets', { body: minimal.body });

    const walked = [...ids, ...idsOf(await walk(nextPath))];

    expect(walked).toEqual(inOrder(walked));
    expect(walked.filter((id) => id !== json.id)).toEqual(before);
  });
});
