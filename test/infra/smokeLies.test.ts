import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { edit, editLinks, type Lie } from '../helpers/lyingService.ts';
import { broken, outcomesOf } from '../helpers/smokeOutcomes.ts';

/** The parameters of a list, to be deleted as if they had not been sent. */
function deleteParameter(event: APIGatewayProxyEvent, name: string): void {
  delete event.queryStringParameters?.[name];
  delete event.multiValueQueryStringParameters?.[name];
}

function deleteHeader({ headers, multiValueHeaders }: APIGatewayProxyEvent, name: RegExp): void {
  for (const map of [headers, multiValueHeaders]) {
    for (const key of Object.keys(map)) if (name.test(key)) delete map[key];
  }
}

describe('smokeChecks', () => {
  it.each<[string, string[], Lie]>([
    [
      'a common header is missing, and another one repeated',
      [
        'every answer has X-Content-Type-Options: nosniff',
        'every answer has an X-Request-Id of its own',
      ],
      {
        answered({ headers }) {
          delete headers['X-Content-Type-Options'];
          headers['X-Request-Id'] = 'request-1';
        },
      },
    ],
    [
      'an int64 is rounded',
      [
        'createPet answers 201 with the pet as sent, the largest int64 exact',
        'createPet keeps the smallest int64 exact, without an Idempotency-Key',
        'createPet keeps 2^53 + 1 exact, and every character of a name',
        'every pet has id, name, categoryId and status, and nothing else',
      ],
      {
        answered(answer) {
          if (answer.statusCode < 300) edit(answer, (rounded) => rounded);
        },
      },
    ],
    [
      'an Idempotency-Key is not looked at',
      [
        'createPet adds one pet where two requests with one Idempotency-Key race',
        'createPet answers the same 201 for a pet sent again with its Idempotency-Key',
        'createPet answers the same 201 for a pet in another spelling, with a member that does not count',
        'createPet answers the same 201 for a pet as application/*+json with a parameter',
        'createPet answers the same 201 for a pet without a Content-Type',
        'createPet answers the same 201 for a pet in a body of exactly 64 KiB',
        'createPet answers 422 where an Idempotency-Key comes with another pet',
        'createPet answers 400 for an Idempotency-Key with more than 255 characters',
        'createPet answers 400 for an Idempotency-Key with a space in it',
      ],
      { asked: (event) => deleteHeader(event, /^idempotency-key$/i) },
    ],
    [
      'a Location is that of another pet, and an error says more than it should',
      [
        'createPet gives the Location of the pet, which getPet answers at once',
        'every error has code, message and status, and nothing else',
      ],
      {
        answered(answer) {
          const { headers, statusCode } = answer;
          if (headers.Location) headers.Location = headers.Location.replace(/\d+$/, '1000000');
          if (statusCode === 413) edit(answer, (body) => ({ ...body, stack: 'at …' }));
        },
      },
    ],
    [
      'a message names one fault of many',
      [
        'createPet answers 400 for no body',
        'createPet answers 400 for three faults, and names them all',
        'listPets answers 400 for three faults, and names them all',
      ],
      {
        answered(answer) {
          if (answer.statusCode !== 400) return;
          edit(answer, ({ message, ...body }) => ({
            ...body,
            message: message.split(/;| and categoryId/)[0],
          }));
        },
      },
    ],
    [
      'a filter is not applied, and each page is the first one',
      [
        'listPets answers with available pets alone where they are asked for',
        'listPets answers with pending pets alone where they are asked for',
        'pages of 1, by their links, are the first pets of a page of 3',
      ],
      {
        asked(event) {
          const { limit, cursor } = event.queryStringParameters ?? {};
          if (limit === '100') deleteParameter(event, 'status');
          if (limit === '1' && cursor) deleteParameter(event, 'cursor');
        },
      },
    ],
    [
      'a list ends too early',
      [
        'pages of 1, by their links, are the first pets of a page of 3',
        'a link to the next page keeps limit and status',
        'listPets answers 400 for a cursor of another list',
      ],
      {
        answered({ headers }, { queryStringParameters: query }) {
          if (query?.limit === '1') delete headers.Link;
        },
      },
    ],
    [
      'new pets are left out of a list',
      ['listPets shows each new pet once, in the order of ids'],
      {
        answered(answer, { queryStringParameters: query }) {
          if (query?.limit === '100' && query.status === 'sold') answer.body = '[]';
        },
      },
    ],
    [
      'a link loses the filter',
      ['a link to the next page keeps limit and status'],
      {
        asked({ queryStringParameters: query, multiValueQueryStringParameters: lists }) {
          // The service finds the filter again, so that nothing but the link is wrong.
          if (query?.limit === '1' && query.cursor && lists) lists.status = ['sold'];
        },
        answered: (answer) => editLinks(answer, (link) => link.replace('&status=sold', '')),
      },
    ],
    [
      'an unknown path is told apart without a key, and Allow says too much',
      [
        'answers 401 without a key before it looks at GET /store/orders',
        'answers 405 for POST /pets/1, and Allow says what it has',
        'answers 405 for PUT /pets/1, and Allow says what it has',
      ],
      {
        answered(answer, { path }) {
          if (answer.headers.Allow) answer.headers.Allow = 'GET, POST';
          if (path !== '/v1/store/orders') return;
          answer.statusCode = 404;
          edit(answer, () => ({ code: 'not_found', message: 'No such path.', status: 404 }));
        },
      },
    ],
    [
      'a 401 has no challenge',
      [
        'answers 401 for no key, with its challenge',
        'answers 401 for an empty key, with its challenge',
        'answers 401 for another scheme, with its challenge',
        'answers 401 for a mistyped key, with its challenge',
        'answers 401 for a key that was never issued, with its challenge',
        'answers 401 for two keys, with its challenge',
      ],
      { answered: ({ headers }) => delete headers['WWW-Authenticate'] },
    ],
    [
      'a 404 of getPet does not announce its end, and listPets does',
      ['getPet announces its end on every answer', 'no other answer announces an end'],
      {
        answered({ statusCode, headers }, { path }) {
          if (statusCode === 404) delete headers.Sunset;
          if (path === '/v1/pets') headers.Deprecation = '@1795132800';
        },
      },
    ],
  ])('finds that %s', async (_what, expected, lie) => {
    expect(broken(await outcomesOf(lie))).toEqual(expected);
  });
});
