import { describe, expect, it } from 'vitest';
import { type Answer, assertDescribed } from './helpers/assertDescribed.ts';

const common = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': '1',
};
const deprecation = {
  deprecation: '@1795132800',
  sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  link: '</v1/pets>; rel="successor-version"',
};
const rex = '{"id":1,"name":"Rex","categoryId":7,"status":"sold"}';
const challenge = { 'www-authenticate': 'Bearer realm="petstore"' };
const error = (code: string, status: number) =>
  `{"code":"${code}","message":"m","status":${status}}`;

type Case = [title: string, method: string, path: string, answer: Answer];

const answerOf = (status: number, headers: object, text: string): Answer => ({
  status,
  headers: { ...common, ...headers },
  text,
});

describe('assertDescribed', () => {
  it.each<Case>([
    ['a pet', 'GET', '/v1/pets/1', answerOf(200, deprecation, rex)],
    ['a list', 'GET', '/v1/pets', answerOf(200, {}, `[${rex}]`)],
    ['a refusal', 'GET', '/v1/pets', answerOf(401, challenge, error('unauthorized', 401))],
    ['an unknown path', 'GET', '/v1/x', answerOf(404, {}, error('not_found', 404))],
  ])('lets %s pass', (_title, method, path, answer) => {
    expect(() => assertDescribed(method, path, answer)).not.toThrow();
  });

  it.each<Case>([
    ['getPet without its deprecation', 'GET', '/v1/pets/1', answerOf(200, {}, rex)],
    ['401 without a challenge', 'GET', '/v1/pets', answerOf(401, {}, error('unauthorized', 401))],
    [
      'a code of another status',
      'GET',
      '/v1/pets',
      answerOf(401, challenge, error('forbidden', 401)),
    ],
    [
      'a body of another status',
      'GET',
      '/v1/pets',
      answerOf(401, challenge, error('unauthorized', 400)),
    ],
    [
      'an error with a stack',
      'GET',
      '/v1/x',
      answerOf(404, {}, error('not_found', 404).replace('}', ',"stack":""}')),
    ],
    [
      'a pet with its token',
      'GET',
      '/v1/pets/1',
      answerOf(200, deprecation, rex.replace('}', ',"token":"x"}')),
    ],
    [
      'listPets with a sunset',
      'GET',
      '/v1/pets',
      answerOf(200, { sunset: deprecation.sunset }, '[]'),
    ],
    [
      'an error of listPets with a sunset',
      'GET',
      '/v1/pets',
      answerOf(401, { ...challenge, sunset: deprecation.sunset }, error('unauthorized', 401)),
    ],
    [
      'an error of getPet without its deprecation',
      'GET',
      '/v1/pets/1',
      answerOf(401, challenge, error('unauthorized', 401)),
    ],
    ['a location elsewhere', 'POST', '/v1/pets', answerOf(201, { location: 'garbage' }, rex)],
    [
      'an id beyond int64',
      'GET',
      '/v1/pets/1',
      answerOf(200, deprecation, rex.replace('1', '9223372036854775808')),
    ],
    ['a rounded id', 'GET', '/v1/pets/1', answerOf(200, deprecation, rex.replace('1', '1e300'))],
    ['101 pets in a page', 'GET', '/v1/pets', answerOf(200, {}, `[${Array(101).fill(rex)}]`)],
    ['405 without Allow', 'PUT', '/v1/pets', answerOf(405, {}, error('method_not_allowed', 405))],
    [
      '503 without Retry-After',
      'PUT',
      '/v1/pets',
      answerOf(503, {}, error('service_unavailable', 503)),
    ],
    [
      'no request id',
      'GET',
      '/v1/x',
      { ...answerOf(404, { 'x-request-id': undefined }, error('not_found', 404)) },
    ],
    ['a status that is not listed', 'GET', '/v1/pets', answerOf(418, {}, error('not_found', 418))],
    ['another media type', 'GET', '/v1/pets', answerOf(200, { 'content-type': 'text/html' }, '[]')],
  ])('throws for %s', (_title, method, path, answer) => {
    expect(() => assertDescribed(method, path, answer)).toThrow(
      `${method} ${path} → ${answer.status}`,
    );
  });
});
