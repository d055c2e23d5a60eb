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

type Case = [title: string, request: string, answer: Answer];

const answerOf = (status: number, headers: object, text: string): Answer => ({
  status,
  headers: { ...common, ...headers },
  text,
});

const assertAnswer = (request: string, answer: Answer) => {
  const [method = '', path = ''] = request.split(' ');
  assertDescribed(method, path, answer);
};

const list = 'GET /v1/pets';
const pet = 'GET /v1/pets/1';
const refusal = error('unauthorized', 401);
const { sunset } = deprecation;

describe('assertDescribed', () => {
  it.each<Case>([
    ['a pet', pet, answerOf(200, deprecation, rex)],
    ['a list', list, answerOf(200, {}, `[${rex}]`)],
    ['a refusal', list, answerOf(401, challenge, refusal)],
    ['an unknown path', 'GET /v1/x', answerOf(404, {}, error('not_found', 404))],
  ])('lets %s pass', (_title, request, answer) => {
    expect(() => assertAnswer(request, answer)).not.toThrow();
  });

  it.each<Case>([
    ['getPet without its deprecation', pet, answerOf(200, {}, rex)],
    ['401 without a challenge', list, answerOf(401, {}, refusal)],
    ['a code of another status', list, answerOf(401, challenge, error('forbidden', 401))],
    ['a body of another status', list, answerOf(401, challenge, error('unauthorized', 400))],
    [
      'an error with a stack',
      'GET /v1/x',
      answerOf(404, {}, error('not_found', 404).replace('}', ',"stack":""}')),
    ],
    ['a pet with its token', pet, answerOf(200, deprecation, rex.replace('}', ',"token":"x"}'))],
    ['listPets with a sunset', list, answerOf(200, { sunset }, '[]')],
    ['an error of listPets with a sunset', list, answerOf(401, { ...challenge, sunset }, refusal)],
    ['an error of getPet without its deprecation', pet, answerOf(401, challenge, refusal)],
    ['a location elsewhere', 'POST /v1/pets', answerOf(201, { location: 'garbage' }, rex)],
    [
      'an id beyond int64',
      pet,
      answerOf(200, deprecation, rex.replace('1', '9223372036854775808')),
    ],
    ['a rounded id', pet, answerOf(200, deprecation, rex.replace('1', '1e300'))],
    ['101 pets in a page', list, answerOf(200, {}, `[${Array(101).fill(rex)}]`)],
    ['405 without Allow', 'PUT /v1/pets', answerOf(405, {}, error('method_not_allowed', 405))],
    [
      '503 without Retry-After',
      'PUT /v1/pets',
      answerOf(503, {}, error('service_unavailable', 503)),
    ],
    [
      'no request id',
      'GET /v1/x',
      answerOf(404, { 'x-request-id': undefined }, error('not_found', 404)),
    ],
    ['a status that is not listed', list, answerOf(418, {}, error('not_found', 418))],
    ['another media type', list, answerOf(200, { 'content-type': 'text/html' }, '[]')],
  ])('throws for %s', (_title, request, answer) => {
    expect(() => assertAnswer(request, answer)).toThrow(`${request} → ${answer.status}`);
  });
});
