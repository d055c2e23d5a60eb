import type { Check } from './Check.ts';
import { expectError } from './expectations.ts';
import type { Service } from './openService.ts';
import { testPetStatus } from './testPets.ts';

/** Each kind of body that `createPet` refuses. Were one taken, it would be a sold pet with a name. */
export function invalidPetChecks({ send }: Service, namePrefix: string): Check[] {
  const sold = `"status":"${testPetStatus}"`;
  const named = `"name":"${namePrefix} that must be refused"`;
  const withName = (name: string) => `{"name":${name},"categoryId":1,${sold}}`;
  const withCategoryId = (categoryId: string) => `{${named},"categoryId":${categoryId},${sold}}`;
  const withStatus = (status: string) => `{${named},"categoryId":1,"status":${status}}`;

  const bodies: [string, string | undefined, ...RegExp[]][] = [
    ['malformed JSON', `{${named},"categoryId":01,${sold}}`, /JSON/],
    ['JSON that is cut off', `{${named},"categoryId":1,${sold}`, /JSON/],
    ['no body', undefined, /name/, /categoryId/],
    ['an array', '[]', /object/],
    ['null', 'null', /object/],
    ['no name', `{"categoryId":1,${sold}}`, /name/],
    ['no categoryId', `{${named},${sold}}`, /categoryId/],
    ['an empty name', withName('""'), /name/],
    ['a name of white space', withName('" \\t\\u00a0"'), /name/],
    ['a name of 256 characters', withName(`"${namePrefix.padEnd(256, 'x')}"`), /name/],
    ['a name with a lone surrogate', withName(`"${namePrefix} \\ud800"`), /name/],
    ['a name that is a number', withName('7'), /name/],
    ['a categoryId above int64', withCategoryId('9223372036854775808'), /categoryId/],
    ['a categoryId below int64', withCategoryId('-9223372036854775809'), /categoryId/],
    ['a fraction that a double rounds off', withCategoryId('9007199254740993.5'), /categoryId/],
    ['a categoryId in quotes', withCategoryId('"1"'), /categoryId/],
    ['an unknown status', withStatus('"lost"'), /status/],
    ['a status of null', withStatus('null'), /status/],
    [
      'three faults, and names them all',
      `{"name":" ","categoryId":1.5,"status":"lost"}`,
      /name/,
      /categoryId/,
      /status/,
    ],
  ];
  const idempotencyKeys: [string, string][] = [
    ['more than 255 characters', 'x'.repeat(256)],
    ['a space in it', 'a b'],
  ];
  return [
    ...bodies.map(([what, body, ...messageParts]) => ({
      title: `createPet answers 400 for ${what}`,
      async run() {
        const answer = await send('POST', '/pets', body === undefined ? {} : { body });
        expectError(answer, 400, 'bad_request', messageParts);
      },
    })),
    ...idempotencyKeys.map(([what, idempotencyKey]) => ({
      title: `createPet answers 400 for an Idempotency-Key with ${what}`,
      async run() {
        const headers = { 'Idempotency-Key': idempotencyKey };
        const answer = await send('POST', '/pets', { headers, body: withCategoryId('1') });
        expectError(answer, 400, 'bad_request', [/idempotency-key/i]);
      },
    })),
  ];
}
