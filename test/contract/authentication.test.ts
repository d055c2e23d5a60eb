import { describe, expect, it } from 'vitest';
import openApiDocument from '../../openapi.json' with { type: 'json' };
import { challengeOf, unknownPath } from './checkResponse.ts';
import { expectError, expectStatus, send } from './send.ts';
import { service, skipBehindGateway } from './serviceUnderTest.ts';

const { apiKey } = service;
const mistypedKey = `${apiKey.slice(0, -1)}${apiKey.endsWith('A') ? 'B' : 'A'}`;
const challenge = 'Bearer realm="petstore"';
const bearer = (key: string) => `Bearer ${key}`;

describe('authentication', () => {
  it.for(['Bearer', 'bearer', 'BEARER'])('takes the scheme %s (RFC 9110)', async (scheme) => {
    const authorization = `${scheme} ${apiKey}`;

    expectStatus(await send('GET', '/pets?limit=1', { authorization }), 200);
  });

  it.for([
    ['no header', ''],
    ['an empty key', 'Bearer '],
    ['another scheme', 'Basic cGV0OnN0b3Jl'],
    ['a scheme that ends alike', `NoBearer ${apiKey}`],
    ['no scheme', apiKey],
  ] as const)('responds 401 with a plain challenge for %s', async ([, authorization]) => {
    const refused = await send('GET', '/pets', { authorization });

    expectError(refused, 'unauthorized', /Authorization: Bearer/);
    expect(challengeOf(refused.headers)).toBe(challenge);
  });

  it.for([
    ['a mistyped key', mistypedKey],
    ['an incomplete key', apiKey.slice(0, -1)],
    ['a key in upper case', apiKey.toUpperCase()],
    ['a key of another deployment', apiKey.replace(/^ps_[\w-]+(?=_[\w-]{49}$)/, 'ps_elsewhere')],
    ['a random word', 'guess'],
    ['two keys', `${apiKey} ${apiKey}`],
    ['two headers', `${apiKey}, Bearer ${apiKey}`],
  ] as const)('responds 401 with invalid_token for %s', async ([, key]) => {
    const refused = await send('GET', '/pets', { authorization: bearer(key) });

    expectError(refused, 'unauthorized', /not valid/);
    expect(challengeOf(refused.headers)).toBe(`${challenge}, error="invalid_token"`);
  });

  it('responds 401 for a key and a no-break space', async (context) => {
    skipBehindGateway(context, 'remove white space');

    const refused = await send('GET', '/pets', { authorization: `Bearer ${apiKey}\u00a0` });

    expectError(refused, 'unauthorized');
    expect(challengeOf(refused.headers)).toBe(`${challenge}, error="invalid_token"`);
  });
});

describe('the order of checks', () => {
  const text = { 'Content-Type': 'text/plain' };
  const tooLong = '{'.padEnd(64 * 1024 + 1);

  const operations = Object.entries(openApiDocument.paths).flatMap(([path, methods]) =>
    // No schema accepts this id, so a write changes nothing even if authentication is broken.
    Object.keys(methods).map(
      (method) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '~')] as const,
    ),
  );

  it.for<readonly [method: string, path: string, body?: string]>([
    ...operations,
    ['POST', '/pets', '{'],
    ['POST', '/pets', tooLong],
    ['GET', '/pets?limit=0'],
    ['GET', '/pets?cursor=x'],
    ['GET', '/pets/none'],
    ['GET', unknownPath],
    ['DELETE', '/pets'],
    ['POST', '/pets/1', '{'],
  ])(
    'responds 401 without a valid key, whatever else is wrong: %s %s',
    async ([method, path, body]) => {
      const sent = { headers: text, ...(body !== undefined && { body }) };

      for (const authorization of ['', bearer(mistypedKey)]) {
        const refused = await send(method, path, { ...sent, authorization });

        expectError(refused, 'unauthorized');
        expect(refused.headers.get('Allow')).toBeNull();
      }
    },
  );

  it('responds 404 or 405 before it looks at content type and size', async () => {
    const sent = { headers: text, body: tooLong };

    expectError(await send('PUT', '/pets', sent), 'method_not_allowed');
    expectError(await send('POST', unknownPath, sent), 'not_found');
  });

  it('responds 415, then 413, before it parses the body', async () => {
    const headers = { 'Idempotency-Key': 'a b' };
    const refuse = (sent: object) => send('POST', '/pets', { body: tooLong, ...sent });

    expectError(await refuse({ headers: { ...headers, ...text } }), 'unsupported_media_type');
    expectError(await refuse({ headers }), 'payload_too_large');
    const image = { headers: { 'Content-Type': 'image/png' }, body: Uint8Array.of(0xff, 0xfe) };
    expectError(await refuse(image), 'unsupported_media_type');
  });

  it('responds 400 for the syntax before it looks at the values', async () => {
    const headers = { 'Idempotency-Key': 'a b' };

    const refused = await send('POST', '/pets', { headers, body: '{"name":""' });

    expectError(refused, 'bad_request', /^The body is not valid JSON/);
  });
});
