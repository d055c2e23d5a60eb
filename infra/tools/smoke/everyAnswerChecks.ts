import type { Answer } from './Answer.ts';
import type { Check } from './Check.ts';
import { expectEqual, expectHeader, expectThat, shown } from './expectations.ts';
import type { Service } from './openService.ts';

/** The closed list of error codes, each with its status. */
const errorStatuses: Record<string, number> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  too_many_requests: 429,
  internal_error: 500,
  service_unavailable: 503,
  gateway_timeout: 504,
};

/** What getPet announces: deprecated from 20 November 2026 on, removed on 5 December 2030. */
const deprecation = '@1795132800';
const sunset = 'Thu, 05 Dec 2030 00:00:00 GMT';

/** What holds of all answers; it is looked at last, on all that the other checks received. */
export function everyAnswerChecks({ answers, baseAddress, pathOf }: Service): Check[] {
  const each = (title: string, expect: (answer: Answer) => void, isMeant = isAny): Check => ({
    title,
    async run() {
      answers.filter(isMeant).forEach(expect);
    },
  });
  const requestIds = new Set<string>();

  return [
    each('every answer has Cache-Control: no-store', (answer) =>
      expectHeader(answer, 'Cache-Control', 'no-store'),
    ),
    each('every answer has X-Content-Type-Options: nosniff', (answer) =>
      expectHeader(answer, 'X-Content-Type-Options', 'nosniff'),
    ),
    each('every answer has an X-Request-Id of its own', (answer) => {
      expectHeader(answer, 'X-Request-Id', /./);
      const requestId = answer.headers.get('X-Request-Id') ?? '';
      expectThat(answer, !requestIds.has(requestId), 'another X-Request-Id', requestId);
      requestIds.add(requestId);
    }),
    each('every answer is declared as JSON', (answer) =>
      expectHeader(answer, 'Content-Type', /^application\/json\b/),
    ),
    each('every pet has id, name, categoryId and status, and nothing else', expectPets, isSuccess),
    each('every error has code, message and status, and nothing else', expectErrorBody, isError),
    each('no answer repeats the API key', (answer) => {
      expectThat(answer, !answer.isKeyRepeated, 'no API key', answer.text);
    }),
    each('getPet announces its end on every answer', expectAnnouncement, isGetPet),
    each(
      'no other answer announces an end',
      (answer) => {
        expectHeader(answer, 'Deprecation', null);
        expectHeader(answer, 'Sunset', null);
      },
      (answer) => answer.operation !== 'getPet',
    ),
  ];

  function expectAnnouncement(answer: Answer): void {
    expectHeader(answer, 'Deprecation', deprecation);
    expectHeader(answer, 'Sunset', sunset);
    const link = answer.headers.get('Link') ?? '';
    const successor = /^<([^>]*)>\s*;\s*rel="?successor-version"?$/.exec(link)?.[1];
    const isMet = successor !== undefined && pathOf(successor, answer) === '/pets';
    expectThat(answer, isMet, `a Link to ${baseAddress}/pets as the successor-version`, link);
  }
}

const isAny = (_answer: Answer) => true;
const isSuccess = ({ status }: Answer) => status < 300;
const isGetPet = ({ operation }: Answer) => operation === 'getPet';

/** The answer to HEAD has the headers of an error and no body. */
const isError = ({ status, request }: Answer) => status >= 400 && !request.startsWith('HEAD ');

function expectPets(answer: Answer): void {
  for (const pet of [answer.json].flat() as Record<string, unknown>[]) {
    const { id, name, categoryId, status, ...others } = pet;
    const isPet =
      typeof id === 'bigint' &&
      id > 0n &&
      typeof name === 'string' &&
      typeof categoryId === 'bigint' &&
      ['available', 'pending', 'sold'].includes(String(status));
    expectThat(answer, isPet, 'a pet', pet);
    expectEqual(answer, 'as its further members', others, {});
  }
}

function expectErrorBody(answer: Answer): void {
  const { code, message, status, ...others } = (answer.json ?? {}) as Record<string, unknown>;
  expectEqual(answer, 'the status in the body', status, BigInt(answer.status));
  expectEqual(answer, `the status of ${shown(code)}`, errorStatuses[String(code)], answer.status);
  expectThat(answer, typeof message === 'string', 'a message', message);
  expectEqual(answer, 'as further members', others, {});
}
