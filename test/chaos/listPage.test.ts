import { describe, expect, it } from 'vitest';
import type { Instance } from './Fleet.ts';
import { Ledger } from './Ledger.ts';
import { listPage, startOfList } from './listPage.ts';

const statuses = ['sold', 'pending', 'sold', 'sold'];
const pets = statuses.map(
  (status, n) => `{"id":${n + 1},"name":"Pet ${n + 1}","categoryId":7,"status":"${status}"}`,
);
const [first = '', second = '', third = '', fourth = ''] = pets;

/** Four pets are acknowledged. The service responds with the listed ones, and a link if given. */
async function violationsOf(place: ReturnType<typeof startOfList>, listed: string[], link = '') {
  const ledger = new Ledger();
  for (const [n, text] of pets.entries()) {
    const creation = { name: `Pet ${n + 1}`, categoryId: '7', status: statuses[n] ?? '' };
    ledger.creations.push(creation);
    ledger.acknowledge(creation, text);
  }
  const received = { status: 200, text: `[${listed.join(',')}]`, link: link || null };
  const next = await listPage(
    { client: { send: async () => received }, ledger, instance: async () => ({}) as Instance },
    place,
  );
  return { next, violations: ledger.violations };
}

const next = '<http://127.0.0.1/v1/pets?limit=2&cursor=x>; rel="next"';

describe('listPage', () => {
  it('finds nothing on a correct page, and returns the place of the next page', async () => {
    const start = startOfList('', 2);

    expect(await violationsOf(start, [first, second], next)).toEqual({
      next: { query: '?limit=2&cursor=x', limit: 2, status: '', afterId: 2 },
      violations: [],
    });
    expect((await violationsOf({ ...start, afterId: 2 }, [third, fourth])).violations).toEqual([]);
    expect((await violationsOf(startOfList('pending', 2), [second])).violations).toEqual([]);
  });

  it.each<[string, [string, string[], string?], string]>([
    ['at the beginning of a page', ['', [second, third], next], `${first} is missing`],
    ['within a page', ['', [first, third], next], `${second} is missing`],
    ['before the end of the list', ['', [first, second, third]], `${fourth} is missing`],
    ['of the requested status', ['sold', [first, fourth]], `${third} is missing`],
    ['of an empty page', ['pending', []], `${second} is missing`],
  ])('finds a pet that is missing %s', async (_case, [status, listed, link], violation) => {
    const { violations } = await violationsOf(startOfList(status, 20), listed, link);

    expect(violations).toEqual([expect.stringContaining(violation)]);
  });

  it('finds pets out of order, pets of another status, and a page that is too long', async () => {
    const outOfOrder = await violationsOf(startOfList('', 20), [first, third, second, fourth]);
    const otherStatus = await violationsOf(startOfList('sold', 20), pets);
    const tooLong = await violationsOf(startOfList('', 3), pets);

    for (const { violations } of [outOfOrder, otherStatus, tooLong]) {
      expect(violations).toEqual([expect.stringContaining('/pets?limit=')]);
    }
  });
});
