import { describe, expect, it } from 'vitest';
import { assertServiceResponds } from '../../lib/assertServiceResponds.ts';

const challenge = 'Bearer realm="petstore"';
const invalidToken = `${challenge}, error="invalid_token"`;
const refusal = { code: 'unauthorized', message: 'No.', status: 401 };

type Reply = { status?: number; challenge?: string; body?: unknown; header?: string };

/** A service that refuses both requests as it promises, except for one difference. */
function check(withoutKey: Reply = {}, withKey: Reply = {}): Promise<void> {
  return assertServiceResponds(async (_path, headers) => {
    const hasKey = headers.Authorization !== undefined;
    const promised = { challenge: hasKey ? invalidToken : challenge, status: 401, body: refusal };
    const reply = { header: 'WWW-Authenticate', ...promised, ...(hasKey ? withKey : withoutKey) };
    return new Response(JSON.stringify(reply.body), {
      status: reply.status,
      headers: { [reply.header]: reply.challenge, 'X-Request-Id': 'request-7' },
    });
  }, 'test');
}

describe('assertServiceResponds', () => {
  it('accepts both refusals, with the header of a function or of API Gateway', async () => {
    const renamed = { header: 'x-amzn-remapped-www-authenticate' };

    await expect(check()).resolves.toBeUndefined();
    await expect(check(renamed, renamed)).resolves.toBeUndefined();
  });

  it.each<[string, Reply]>([
    ['responds 200 with the rest of a refusal', { status: 200 }],
    ['names another scheme', { challenge: 'Basic realm="petstore"' }],
    ['treats it as the other request', { challenge: invalidToken }],
    ['has no message', { body: { code: 'unauthorized', status: 401 } }],
    ['has another code', { body: { ...refusal, code: 'forbidden' } }],
    ['has two statuses', { body: { ...refusal, status: 403 } }],
  ])('refuses a service that, without a key, %s', async (_fault, reply) => {
    await expect(check(reply)).rejects.toThrow('The request without a key got the status');
  });

  it.each<[string, Reply]>([
    ['cannot look it up', { status: 503, body: { ...refusal, status: 503 } }],
    ['does not look at it', { challenge }],
  ])('refuses a service that, with a key that was never issued, %s', async (_fault, reply) => {
    await expect(check({}, reply)).rejects.toThrow(
      'with a key that was never issued got the status',
    );
  });

  it('says what it received, without the body', async () => {
    const headers = { 'X-Request-Id': 'request-7' };
    const send = async () => new Response('<html>', { status: 500, headers });

    await expect(assertServiceResponds(send, 'test')).rejects.toThrow(
      /^The request without a key got the status 500, the challenge null and not the body of a 401\. Its X-Request-Id is request-7\.$/,
    );
  });
});
