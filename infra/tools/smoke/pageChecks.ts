import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from './Answer.ts';
import { type Check, CheckSkipped } from './Check.ts';
import {
  expectEqual,
  expectError,
  expectHeader,
  expectList,
  expectThat,
  shown,
} from './expectations.ts';
import type { Service } from './openService.ts';
import { idOf, type TestPets, testPetStatus } from './testPets.ts';

type Page = { answer: Answer; ids: bigint[]; nextPath: string | undefined };

/** New pets have the highest ids, at the end of a walk that a large store makes too long. */
const pageSize = 100;
const maxPages = 100;

const pollEveryMs = 250;

/**
 * Walks over pages by their links.
 *
 * A list is eventually consistent: new pets may take `waitMs` to show. The walk to them ends after
 * `maxPages`, and the other checks look at the first pages, so that a large store costs no more.
 */
export function pageChecks(service: Service, pets: TestPets, waitMs: number): Check[] {
  const { send, pathOf } = service;

  async function readPage(path: string): Promise<Page> {
    const answer = await send('GET', path);
    const ids = expectList(answer).map(({ id }) => id as bigint);
    const next = /<([^>]*)>\s*;\s*rel="?next"?/.exec(answer.headers.get('Link') ?? '')?.[1];
    return { answer, ids, nextPath: next === undefined ? undefined : pathOf(next, answer) };
  }

  /** Where pets from an id on begin. */
  async function findPage(firstId: bigint): Promise<string> {
    let path = `/pets?limit=${pageSize}&status=${testPetStatus}`;
    for (let pages = 1; pages <= maxPages; pages += 1) {
      const { ids, nextPath } = await readPage(path);
      if (nextPath === undefined || ids.some((id) => id >= firstId)) return path;
      path = nextPath;
    }
    const walked = `${maxPages * pageSize} ${testPetStatus} pets`;
    throw new CheckSkipped(`more than ${walked} come before those of this run`);
  }

  return [
    {
      title: 'listPets shows each new pet once, in the order of ids',
      async run() {
        const newIds = [pets.largest, pets.smallest, pets.unsafe].map(idOf).sort(ascending);
        const [firstId = 0n] = newIds;
        const path = await findPage(firstId);
        const untilMs = Date.now() + waitMs;
        for (;;) {
          const page = await readPage(path);
          const following = page.nextPath === undefined ? [] : (await readPage(page.nextPath)).ids;
          const shownIds = [...page.ids, ...following];
          expectEqual(page.answer, 'the ids', shownIds, [...new Set(shownIds)].sort(ascending));
          const missingIds = newIds.filter((id) => !shownIds.includes(id));
          if (missingIds.length === 0) return;
          const expected = `the pets ${shown(newIds)} within ${waitMs / 1000} s`;
          expectThat(page.answer, Date.now() < untilMs, expected, shownIds.slice(-10));
          await wait(pollEveryMs);
        }
      },
    },
    {
      title: 'pages of 1, by their links, are the first pets of a page of 3',
      async run() {
        const filter = `status=${testPetStatus}`;
        const { ids } = await readPage(`/pets?limit=3&${filter}`);
        let page = await readPage(`/pets?limit=1&${filter}`);
        const pages = [page.ids];
        while (page.nextPath !== undefined && pages.length < ids.length) {
          page = await readPage(page.nextPath);
          pages.push(page.ids);
        }
        const expected = ids.map((id) => [id]);
        expectEqual(page.answer, 'the ids of the pages', pages, expected);
      },
    },
    {
      title: 'a link to the next page keeps limit and status',
      async run() {
        const { answer, nextPath } = await readPage(`/pets?limit=1&status=${testPetStatus}`);
        expectHeader(answer, 'Link', /rel="next"/);
        const query = new URLSearchParams(nextPath?.split('?')[1]);
        expectEqual(answer, 'the limit', query.get('limit'), '1');
        expectEqual(answer, 'the status', query.get('status'), testPetStatus);
      },
    },
    {
      title: 'listPets answers 400 for a cursor of another list',
      async run() {
        const { answer, nextPath } = await readPage(`/pets?limit=1&status=${testPetStatus}`);
        expectHeader(answer, 'Link', /rel="next"/);
        const cursor = new URLSearchParams(nextPath?.split('?')[1]).get('cursor');
        const foreign = await send('GET', `/pets?status=pending&cursor=${cursor}`);
        expectError(foreign, 400, 'bad_request', [/cursor/]);
      },
    },
  ];
}

function ascending(one: bigint, other: bigint): number {
  return one < other ? -1 : 1;
}
