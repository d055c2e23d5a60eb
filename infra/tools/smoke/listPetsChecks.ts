import type { Check } from './Check.ts';
import { expectError, expectList, expectThat } from './expectations.ts';
import type { Service } from './openService.ts';

/** What a list takes and refuses; its pages are another matter. */
export function listPetsChecks({ send }: Service): Check[] {
  const refused: [string, string, ...RegExp[]][] = [
    ['a limit of 0', 'limit=0', /limit/],
    ['a limit of 101', 'limit=101', /limit/],
    ['a limit that is no number', 'limit=ten', /limit/],
    ['a limit that is no integer', 'limit=1.5', /limit/],
    ['an empty limit', 'limit=', /limit/],
    ['two limits', 'limit=1&limit=2', /limit/],
    ['an unknown status', 'status=lost', /status/],
    ['an empty status', 'status=', /status/],
    ['two statuses', 'status=sold&status=pending', /status/],
    ['a cursor that was never given out', 'cursor=AAAAAAAAAAAAAAAAAAAA', /cursor/],
    ['an empty cursor', 'cursor=', /cursor/],
    [
      'three faults, and names them all',
      'limit=0&status=lost&cursor=x',
      /limit/,
      /status/,
      /cursor/,
    ],
  ];
  return [
    {
      title: 'listPets answers 200 with at most 20 pets, unless told',
      async run() {
        const answer = await send('GET', '/pets');
        const { length } = expectList(answer);
        expectThat(answer, length <= 20, 'at most 20 pets', length);
      },
    },
    ...['available', 'pending', 'sold'].map((status) => ({
      title: `listPets answers with ${status} pets alone where they are asked for`,
      async run() {
        const answer = await send('GET', `/pets?status=${status}&limit=100`);
        const others = expectList(answer).filter((pet) => pet.status !== status);
        expectThat(answer, others.length === 0, `${status} pets alone`, others[0]);
      },
    })),
    {
      title: 'listPets ignores a parameter that it does not know',
      async run() {
        expectList(await send('GET', '/pets?limit=1&colour=brown'));
      },
    },
    ...refused.map(([what, query, ...messageParts]) => ({
      title: `listPets answers 400 for ${what}`,
      async run() {
        expectError(await send('GET', `/pets?${query}`), 400, 'bad_request', messageParts);
      },
    })),
  ];
}
