import { describe, expect, it } from 'vitest';
import { toItem } from '../lib/dynamodb/attributes.ts';
import openApiDocument from '../openapi.json' with { type: 'json' };
import { checkResponse, createCheck, type HttpResponse } from './contract/checkResponse.ts';
import { rexFilter, storedPet, textOfItem } from './helpers/samplePets.ts';

const common = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
const challenge = 'Bearer realm="petstore"';
const successor = '<https://x.test/v1/pets>; rel="successor-version"';
const rex = textOfItem(toItem(storedPet(2n ** 63n - 1n)));
const [member = '', name] = /,("\w+"):[^,]+/.exec(rex) ?? [];

function response(request: string, status: number, headers: object, text: string): HttpResponse {
  const [method = '', path = ''] = request.split(' ');
  const type = text === '' ? {} : { 'Content-Type': 'application/json' };
  const all = { ...common, 'X-Request-Id': 'request-1', ...type, ...headers };
  return { method, path, status, headers: new Headers(all), text };
}

const error = (request: string, status: number, code: string, headers: object = {}) =>
  response(request, status, headers, `{"code":"${code}","message":"m","status":${status}}`);

/** A valid response of each kind. */
const valid = {
  page: response('GET /pets?limit=1', 200, { Link: '</v1>; rel="next"' }, `[${rex}]`),
  created: response('POST /pets', 201, { Location: '/v1/pets/7' }, rex),
  invalid: error('POST /pets', 400, 'bad_request'),
  unauthorized: error('GET /pets', 401, 'unauthorized', { 'WWW-Authenticate': challenge }),
  notFound: error('GET /nothing', 404, 'not_found'),
  wrongMethod: error('PUT /pets', 405, 'method_not_allowed', { Allow: 'GET, POST' }),
  busy: error('GET /pets', 503, 'service_unavailable', { 'Retry-After': '1' }),
  head: response('HEAD /pets', 405, { Allow: 'GET', 'Content-Type': 'application/json' }, ''),
  preflight: response(
    'OPTIONS /pets',
    204,
    {
      'Access-Control-Allow-Methods': 'GET, POST',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type',
      'Access-Control-Max-Age': '7200',
      Vary: 'Origin',
    },
    '',
  ),
};
type Kind = keyof typeof valid;

/** Returns a valid response with another header, or without it. */
function withHeader(kind: Kind, name: string, value?: string): HttpResponse {
  const headers = new Headers(valid[kind].headers);
  headers.delete(name);
  if (value !== undefined) headers.set(name, value);
  return { ...valid[kind], headers };
}

const withText = (kind: Kind, old: string, text: string): HttpResponse => ({
  ...valid[kind],
  text: valid[kind].text.replace(old, text),
});

describe('checkResponse', () => {
  it.each(Object.entries(valid))('accepts a valid response: %s', (_kind, each) => {
    checkResponse(each);
    checkResponse(each, true);
  });

  it.each<[kind: Kind, header: string, value?: string]>([
    ['page', 'Cache-Control', 'no-cache'],
    ['notFound', 'X-Content-Type-Options'],
    ['wrongMethod', 'X-Request-Id', ''],
    ['page', 'Content-Type', 'text/html'],
    ['page', 'X-Powered-By', 'x'],
    ['created', 'Location'],
    ['created', 'Location', '/v1/pets/x'],
    ['page', 'Link', '</v1/pets>; rel="prev"'],
    ['busy', 'Retry-After'],
    ['wrongMethod', 'Allow'],
    ['head', 'Allow', 'any'],
    ['preflight', 'Vary'],
  ])('throws for %s with the header %s: %s', (kind, header, value) => {
    expect(() => checkResponse(withHeader(kind, header, value))).toThrow(header.toLowerCase());
  });

  it.each<[fault: string, HttpResponse]>([
    ['no response 404', error('POST /pets', 404, 'not_found')],
    ['no response 422', error('GET /nothing', 422, 'idempotency_key_reused')],
    ['lacks a challenge', withHeader('unauthorized', 'WWW-Authenticate')],
    ['lacks a challenge', withHeader('unauthorized', 'WWW-Authenticate', `${challenge}, x`)],
    ['announces null, null, and', withHeader('busy', 'Link', successor)],
    ["property 'body'", withText('page', ']', '')],
    ['must be object', { ...valid.notFound, text: '' }],
    [`"missingProperty":${name}`, withText('page', member, '')],
    ['"additionalProperty":"pk"', withText('page', '{', '{"pk":"PET#1",')],
    ['allowedValues', withText('page', String(Object.values(rexFilter)), 'lost')],
    ['exactInteger', withText('page', '807,', '807.0,')],
    ['exactInteger', withText('page', '807,', '808,')],
    ['exactInteger', withText('created', '9223372036854775807', '0')],
    ['"additionalProperty":"x"', withText('invalid', '{', '{"x":1,')],
    ['another status in its body', withText('invalid', '400', '401')],
    ['another code', withText('invalid', 'bad_request', 'not_found')],
    ['allowedValues', withText('invalid', 'bad_request', 'oops')],
    ['names internals', withText('invalid', '"m"', '"at f (/var/task/index.mjs)"')],
    ['must be equal to constant', withText('head', '', '{}')],
    ['must be equal to constant', withText('preflight', '', '{}')],
  ])('throws «%s»', (fault, bad) => {
    expect(() => checkResponse(bad)).toThrow(fault);
  });

  it('accepts what a gateway adds or renames, but no announcement', () => {
    const added = { 'x-amzn-requestid': 'x', 'Content-Type': 'application/json; charset=utf-8' };
    const renamed = { ...added, 'x-amzn-remapped-www-authenticate': challenge };

    checkResponse(error('GET /pets', 401, 'unauthorized', renamed), true);
    const announcing = withHeader('page', 'Deprecation', '@1795132800');
    expect(() => checkResponse(announcing, true)).toThrow('announces');
    expect(() => checkResponse(withHeader('page', 'Content-Type'), true)).toThrow('content-type');
  });
});

/** Checks a response by a document with another text in it. */
const checkBy = (old: string, text: string, kind: Kind) =>
  createCheck(JSON.parse(JSON.stringify(openApiDocument).replaceAll(old, text)))(valid[kind]);

describe('createCheck', () => {
  it('takes from the document which headers and members a response needs', () => {
    expect(() =>
      checkBy('"X-Request-Id"', '"X-A":{"required":true},"X-Request-Id"', 'invalid'),
    ).toThrow('x-a');
    expect(() => checkBy('["id"', '["age","id"', 'created')).toThrow('"missingProperty":"age"');
  });

  it('demands that a deprecated operation announces its removal', () => {
    const { headers } = openApiDocument.components.responses.BadRequest;
    const get = {
      description: 'Deprecated since 2026-11-20.',
      'x-sunset': '2030-12-05',
      responses: { 200: { headers: { ...headers, Deprecation: {}, Sunset: {}, Link: {} } } },
    };
    const check = createCheck({ ...openApiDocument, paths: { '/old': { get } } });
    const Sunset = 'Thu, 05 Dec 2030 00:00:00 GMT';
    const announced = { Deprecation: '@1795132800', Sunset, Link: successor };
    const announce = (changed: object) =>
      check(response('GET /old', 200, { ...announced, ...changed }, ''));

    announce({});
    for (const changed of [{ Deprecation: '@1795132801' }, { Sunset: 'Fri' }, { Link: '' }]) {
      expect(() => announce(changed)).toThrow('announces @');
    }
  });

  it('accepts a plain number with and without a fraction', () => {
    const text = JSON.stringify(openApiDocument, (key, value) =>
      key === 'id' ? { type: 'number', maximum: 9 } : value,
    );
    const check = createCheck(JSON.parse(text));
    const withNumber = (number: string) => withText('created', '9223372036854775807', number);

    for (const number of ['7', '7.5', '-0.1']) check(withNumber(number));
    for (const number of ['9.5', '10', '"7"']) {
      expect(() => check(withNumber(number))).toThrow('plainNumber');
    }
  });

  it.each(['headers/RequestId', 'responses/BadRequest', 'schemas/Error'])(
    'throws for a reference to nothing: %s',
    (component) => {
      const reference = `#/components/${component}"`;

      expect(() => checkBy(reference, '#/none"', 'invalid')).toThrow('#/none');
    },
  );

  it('accepts neither body nor media type in a response without content', () => {
    const { headers } = openApiDocument.paths['/pets'].get.responses[200];
    const paths = { '/pets': { delete: { responses: { 204: { headers } } } } };
    const check = createCheck({ ...openApiDocument, paths });

    check(response('DELETE /pets', 204, {}, ''));
    const withBody = response('DELETE /pets', 204, {}, '{}');
    expect(() => check(withBody)).toThrow(/content-type.+ equal to constant/);
  });
});
