import { describe, expect, it } from 'vitest';
import { assertDescribed, type DescribedResponse } from './helpers/assertDescribed.ts';

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

type Case = [title: string, request: string, response: DescribedResponse];

const responseOf = (status: number, headers: object, text: string): DescribedResponse => ({
  status,
  headers: { ...common, ...headers },
  text,
});

const assertResponse = (request: string, response: DescribedResponse) => {
  const [method = '', path = ''] = request.split(' ');
  assertDescribed(method, path, response);
};

const list = 'GET /v1/pets';
const pet = 'GET /v1/pets/1';
const refusal = error('unauthorized', 401);
const { sunset } = deprecation;

describe('assertDescribed', () => {
  it.each<Case>([
    ['a pet', pet, responseOf(200, deprecation, rex)],
    ['a list', list, responseOf(200, {}, `[${rex}]`)],
    ['a refusal', list, responseOf(401, challenge, refusal)],
    ['an unknown path', 'GET /v1/x', responseOf(404, {}, error('not_found', 404))],
  ])('lets %s pass', (_title, request, response) => {
    expect(() => assertResponse(request, response)).not.toThrow();
  });

  it.each<Case>([
    ['getPet without its deprecation', pet, responseOf(200, {}, rex)],
    ['401 without a challenge', list, responseOf(401, {}, refusal)],
    ['a code of another status', list, responseOf(401, challenge, error('forbidden', 401))],
    ['a body of another status', list, responseOf(401, challenge, error('unauthorized', 400))],
    [
      'an error with a stack',
      'GET /v1/x',
      responseOf(404, {}, error('not_found', 404).replace('}', ',"stack":""}')),
    ],
    ['a pet with its token', pet, responseOf(200, deprecation, rex.replace('}', ',"token":"x"}'))],
    ['listPets with a sunset', list, responseOf(200, { sunset }, '[]')],
    [
      'an error of listPets with a sunset',
      list,
      responseOf(401, { ...challenge, sunset }, refusal),
    ],
    ['an error of getPet without its deprecation', pet, responseOf(401, challenge, refusal)],
    ['a location elsewhere', 'POST /v1/pets', responseOf(201, { location: 'garbage' }, rex)],
    [
      'an id beyond int64',
      pet,
      responseOf(200, deprecation, rex.replace('1', '9223372036854775808')),
    ],
    ['a rounded id', pet, responseOf(200, deprecation, rex.replace('1', '1e300'))],
    ['101 pets in a page', list, responseOf(200, {}, `[${Array(101).fill(rex)}]`)],
    ['405 without Allow', 'PUT /v1/pets', responseOf(405, {}, error('method_not_allowed', 405))],
    [
      '503 without Retry-After',
      'PUT /v1/pets',
      responseOf(503, {}, error('service_unavailable', 503)),
    ],
    [
      'no request id',
      'GET /v1/x',
      responseOf(404, { 'x-request-id': undefined }, error('not_found', 404)),
    ],
    ['a status that is not listed', list, responseOf(418, {}, error('not_found', 418))],
    ['another media type', list, responseOf(200, { 'content-type': 'text/html' }, '[]')],
  ])('throws for %s', (_title, request, response) => {
    expect(() => assertResponse(request, response)).toThrow(`${request} → ${response.status}`);
  });
});
