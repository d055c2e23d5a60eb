import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { operationEntries } from '../../../lib/operations.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import { interceptDatabase } from '../../helpers/database.ts';
import { startGateway } from '../../helpers/gateway.ts';
import { listen } from '../../helpers/listen.ts';

const service = await startGateway();
const invalidToken = 'Bearer realm="petstore", error="invalid_token"';
const refusal = { code: 'unauthorized', message: 'No.', status: 401 };

/** The requests of a run, as `<method> <path>`, and the operation of each. */
const requests = new Map(
  operationEntries.map(([name, { method, path }]): [string, string] => [
    `${method} /v1${path.replaceAll(/\{\w+\}/g, '0')}`,
    name,
  ]),
);

/** Runs the heartbeat as a new instance. */
async function heartbeat(baseAddress = service.baseAddress): Promise<void> {
  vi.stubEnv('BASE_ADDRESS', baseAddress);
  vi.resetModules();
  const { handler } = await import('../../../functions/parts/heartbeat.ts');
  await handler();
}

type Reply = { status?: number; challenge?: string; body?: unknown; header?: string };

/** Runs the heartbeat against a service that refuses all requests as it promises, except for differences. */
async function check(differenceOf: (operation: string) => Reply | undefined): Promise<void> {
  const origin = await listen((request: IncomingMessage, response: ServerResponse) => {
    const promised = { challenge: invalidToken, status: 401, body: refusal };
    const operation = requests.get(`${request.method} ${request.url}`) ?? expect.fail(request.url);
    const reply = { header: 'WWW-Authenticate', ...promised, ...differenceOf(operation) };
    response
      .writeHead(reply.status, { [reply.header]: reply.challenge, 'X-Request-Id': 'request-7' })
      .end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
  });
  await heartbeat(`${origin}/v1`);
}

describe('heartbeat', () => {
  it('succeeds if every operation refuses its request, which reads one item for each operation', async () => {
    const actions = interceptDatabase();
    const log = captureLog();

    await heartbeat();

    expect(actions).toEqual(operationEntries.map(() => 'GetItem'));
    expect(log.text()).toBe('');
  });

  it('fails without changing an item if the service accepts a key that was never issued', async () => {
    const apiKeys = '../../../lib/apiKeys/apiKey.ts';
    vi.doMock(apiKeys, async (load) => ({
      ...(await load<object>()),
      createApiKey: () => service.apiKey,
    }));
    onTestFinished(() => vi.doUnmock(apiKeys));
    const actions = interceptDatabase();

    await expect(heartbeat()).rejects.toThrow('got the status 200');

    const changes = actions.filter((action) => !['GetItem', 'Query'].includes(action));
    expect(changes, 'the heartbeat must send what this operation refuses').toEqual([]);
  });

  it('accepts the header that API Gateway renames', async () => {
    const renamed = { header: 'x-amzn-remapped-www-authenticate' };

    await expect(check(() => renamed)).resolves.toBeUndefined();
  });

  const everyOperation = [...requests.values()];
  const [first] = everyOperation;

  it.each(everyOperation)('names the only operation that fails: %s', async (failing) => {
    const outcome = check((operation) => ({ status: operation === failing ? 503 : 401 }));

    await expect(outcome).rejects.toThrow(
      RegExp(`^The request to ${failing} got the status 503, [^.]+\\. [^.]+\\.$`),
    );
  });

  it.each(everyOperation)('succeeds if all other operations are limited: %s', async (served) => {
    const outcome = check((operation) => ({ status: operation === served ? 401 : 429 }));

    await expect(outcome).resolves.toBeUndefined();
  });

  it.each(everyOperation)(
    'names only %s if it fails while the others are limited',
    async (failing) => {
      const outcome = check((operation) => ({ status: operation === failing ? 503 : 429 }));

      await expect(outcome).rejects.toThrow(
        RegExp(`^The request to ${failing} got the status 503, [^.]+\\. [^.]+\\.$`),
      );
    },
  );

  it.each<[string, Reply]>([
    ['responds 200 with the rest of a refusal', { status: 200 }],
    ['responds 429', { status: 429 }],
    ['names another scheme', { challenge: 'Basic realm="petstore"' }],
    ['responds as to a request without a key', { challenge: 'Bearer realm="petstore"' }],
    ['has no message', { body: { code: 'unauthorized', status: 401 } }],
    ['has another code', { body: { ...refusal, code: 'forbidden' } }],
    ['has two statuses', { body: { ...refusal, status: 403 } }],
  ])('fails for every operation if the service %s', async (_fault, reply) => {
    const error = await check(() => reply).catch((thrown: Error) => thrown);

    for (const operation of everyOperation) {
      expect(String(error)).toContain(`The request to ${operation} got the status`);
    }
  });

  it('says what it received, without the body', async () => {
    await expect(check(() => ({ status: 500, header: 'X-Other', body: '<html>' }))).rejects.toThrow(
      `The request to ${first} got the status 500, the challenge null and not the body of a 401. Its X-Request-Id is request-7.`,
    );
  });

  it('follows no redirect, and sends each request on a connection of its own, without a body', async () => {
    const sent: unknown[] = [];
    const origin = await listen(({ method, url, headers }, response) => {
      sent.push([`${method} ${url}`, headers.connection, headers['content-length'] ?? '0']);
      response.writeHead(307, { Location: '/elsewhere' }).end();
    });

    await expect(heartbeat(`${origin}/v1`)).rejects.toThrow(
      `The request to ${first} failed: Error: unexpected redirect.`,
    );

    expect(sent.sort()).toEqual([...requests.keys()].sort().map((each) => [each, 'close', '0']));
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
