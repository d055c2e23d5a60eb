import type { Check } from './Check.ts';
import { expectError } from './expectations.ts';
import type { Service } from './openService.ts';

/** The 200 of `getPet` is seen where a pet was just added; here is what it does not find. */
export function getPetChecks({ send }: Service): Check[] {
  const unknown: [string, string][] = [
    ['an id that no pet has', '9223372036854775807'],
    ['an id beyond int64', '9223372036854775808'],
    ['an id of zero', '0'],
    ['an id with a leading zero', '01'],
    ['a negative id', '-1'],
    ['an id that is no integer', '1.0'],
    ['an id that is a word', 'rex'],
  ];
  return unknown.map(([what, id]) => ({
    title: `getPet answers 404 for ${what}`,
    async run() {
      expectError(await send('GET', `/pets/${id}`), 404, 'not_found');
    },
  }));
}
