import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { captureLog } from '../../helpers/captureLog.ts';
import { interceptDatabase } from '../../helpers/database.ts';
import { startGateway } from '../../helpers/gateway.ts';
import { listen } from '../../helpers/listen.ts';

const service = await startGateway();
const challenge = 'Bearer realm="petstore"';
const invalidToken = `${challenge}, error="invalid_token"`;
const refusal = { code: 'unauthorized', message: 'No.', status: 401 };

/** Runs the heartbeat as a new instance. */
async function heartbeat(baseAddress = service.baseAddress): Promise<void> {
  vi.stubEnv('BASE_ADDRESS', baseAddress);
  vi.resetModules();
  const { handler } = await import('../../../functions/parts/heartbeat.ts');
  await handler();
}

type Reply = { status?: number; challenge?: string; body?: unknown; header?: string };

/** Runs the heartbeat against a service that refuses both requests as it promises, except for one difference. */
async function check(withoutKey: Reply = {}, withKey: Reply = {}): Promise<void> {
  const origin = await listen((request: IncomingMessage, response: ServerResponse) => {
    const hasKey = request.headers.authorization !== undefined;
    const promised = { challenge: hasKey ? invalidToken : challenge, status: 401, body: refusal };
    const reply = { header: 'WWW-Authenticate', ...promised, ...(hasKey ? withKey : withoutKey) };
    response
      .writeHead(reply.status, { [reply.header]: reply.challenge, 'X-Request-Id': 'request-7' })
      .end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
  });
  await heartbeat(`${origin}/v1`);
}

describe('heartbeat', () => {
  it('succeeds if the service refuses both requests, which reads one item and logs no damage', async () => {
    const actions = interceptDatabase();
    const log = captureLog();

    await heartbeat();

    expect(actions).toEqual(['GetItem']);
    expect(log.text()).toBe('');
  });

  it('accepts the header that API Gateway renames', async () => {
    const renamed = { header: 'x-amzn-remapped-www-authenticate' };

    await expect(check(renamed, renamed)).resolves.toBeUndefined();
  });

  it.each<[string, Reply]>([
    ['responds 200 with the rest of a refusal', { status: 200 }],
    ['names another scheme', { challenge: 'Basic realm="petstore"' }],
    ['treats it as the other request', { challenge: invalidToken }],
    ['has no message', { body: { code: 'unauthorized', status: 401 } }],
    ['has another code', { body: { ...refusal, code: 'forbidden' } }],
    ['has two statuses', { body: { ...refusal, status: 403 } }],
  ])('fails if the service, without a key, %s', async (_fault, reply) => {
    await expect(check(reply)).rejects.toThrow('The request without a key got the status');
  });

  it.each<[string, Reply]>([
    ['cannot look it up', { status: 503, body: { ...refusal, status: 503 } }],
    ['does not look at it', { challenge }],
  ])('fails if the service, with a key that was never issued, %s', async (_fault, reply) => {
    await expect(check({}, reply)).rejects.toThrow(
      'with a key that was never issued got the status',
    );
  });

  it('says what it received, without the body', async () => {
    await expect(check({ status: 500, header: 'X-Other', body: '<html>' })).rejects.toThrow(
      /^The request without a key got the status 500, the challenge null and not the body of a 401\. Its X-Request-Id is request-7\.$/,
    );
  });

  it('follows no redirect, and sends each request on a connection of its own', async () => {
    const sent: unknown[] = [];
    const origin = await listen(({ url, headers }, response) => {
      sent.push([url, headers.connection]);
      response.writeHead(307, { Location: '/elsewhere' }).end();
    });

    await expect(heartbeat(`${origin}/v1`)).rejects.toThrow('The request without a key failed');

    expect(sent).toEqual([['/v1/pets', 'close']]);
  });

  it('fails in time if the service never responds', async () => {
    const { timeout } = AbortSignal;
    const asked = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(20));
    const origin = await listen(() => {});

    await expect(heartbeat(`${origin}/v1`)).rejects.toThrow('aborted due to timeout');

    // The function itself times out after 25 s.
    expect(asked.mock.calls).toEqual([[20_000]]);
  });
});
