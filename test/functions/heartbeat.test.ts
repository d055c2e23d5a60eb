import type { RequestListener, ServerResponse } from 'node:http';
import { json, text as textOf } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { apiKey } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { connectionReset, interceptDatabase, storedItems } from '../helpers/database.ts';
import { startGateway } from '../helpers/gateway.ts';
import { listen } from '../helpers/listen.ts';

const service = await startGateway();
const parameter = '/PetStore-test/heartbeat-api-key';

/** The requests to Systems Manager. */
let asked: unknown[];

const storedKey = (key: string) => (response: ServerResponse) => {
  response.end(JSON.stringify({ Parameter: { Value: key } }));
};

/** Runs the heartbeat as a new instance. `respond` sends the response of Systems Manager. */
async function heartbeat(
  baseAddress = service.baseAddress,
  respond = storedKey(apiKey),
): Promise<void> {
  const endpoint = await listen(async (request, response) => {
    asked.push([request.headers['x-amz-target'], await json(request)]);
    respond(response.setHeader('Content-Type', 'application/x-amz-json-1.1'));
  });
  vi.stubEnv('AWS_ENDPOINT_URL_SSM', endpoint);
  vi.stubEnv('BASE_ADDRESS', baseAddress);
  vi.stubEnv('API_KEY_PARAMETER', parameter);
  vi.resetModules();
  const { handler } = await import('../../functions/heartbeat.ts');
  await handler();
}

/** Runs the heartbeat, which must fail, and returns everything that Lambda would log of its error. */
async function failure(run: Promise<void>): Promise<string> {
  const error = await run.then(
    () => expect.fail('The heartbeat did not fail.'),
    (reason: Error) => reason,
  );
  return `${error.message} ${error.stack} ${JSON.stringify(error)}`;
}

/** Serves a broken service. */
const brokenService = async (listener: RequestListener) => `${await listen(listener)}/v1`;

beforeEach(() => {
  asked = [];
});

describe('heartbeat', () => {
  it('succeeds if the service responds to a client with and without a key', async () => {
    await heartbeat();

    expect(asked).toEqual([['AmazonSSM.GetParameter', { Name: parameter, WithDecryption: true }]]);
  });

  it('adds no pet, and takes no id', async () => {
    const actions = interceptDatabase(({ pass }) => pass());

    await heartbeat();

    expect(await storedItems()).toEqual([]);
    expect(actions.filter((action) => !/^(GetItem|Query|Scan)$/.test(action))).toEqual([]);
    expect(actions).toContain('Query');
  });

  it('sends three requests, each on a connection of its own', async () => {
    const sent: unknown[] = [];
    const address = await brokenService(async (request, response) => {
      const { method, url, headers } = request;
      const hasKey = headers.authorization === `Bearer ${apiKey}`;
      sent.push([method, url, hasKey, headers.connection, await textOf(request)]);
      response.writeHead(503).end();
    });

    await failure(heartbeat(address));

    expect(sent.sort()).toEqual([
      ['GET', '/v1/pets?limit=1', false, 'close', ''],
      ['GET', '/v1/pets?limit=1', true, 'close', ''],
      ['POST', '/v1/pets', true, 'close', '{}'],
    ]);
  });

  it('fails if the database does not respond, and names the request', async () => {
    interceptDatabase(({ action, pass }) =>
      action === 'Query' ? Promise.reject(connectionReset()) : pass(),
    );

    captureLog();

    const text = await failure(heartbeat());

    expect(text).toMatch(/^GET \/pets: status 503, expected 200.*, request [\w-]+ Error/);
  });

  it('fails if its key is not valid', async () => {
    const text = await failure(
      heartbeat(service.baseAddress, storedKey(`${apiKey.slice(0, -1)}~`)),
    );

    expect(text).toContain('GET /pets: status 401, expected 200');
    expect(text).not.toContain('without a key');
  });

  it('fails if the service asks for no key', async () => {
    const address = await brokenService((_request, response) => {
      response.setHeader('X-Request-Id', 'request-7').end('[]');
    });

    const text = await failure(heartbeat(address));

    expect(text).toContain('GET /pets without a key: status 200, expected 401');
    expect(text).toContain('request-7');
    expect(text).not.toContain('GET /pets: ');
  });

  it.each([
    ['no JSON', 200, '<html>'],
    ['no list', 200, '{"id":1}'],
    ['a list with another status', 203, '[]'],
  ])('fails if the response to a list is %s', async (_case, status, body) => {
    const address = await brokenService((_request, response) =>
      response.writeHead(status).end(body),
    );

    expect(await failure(heartbeat(address))).toContain(`GET /pets: status ${status}`);
  });

  it('fails if an error has another code', async () => {
    const address = await brokenService(({ method, headers }, response) => {
      const status = method === 'POST' ? 400 : headers.authorization ? 200 : 401;
      const error = { code: 'forbidden', message: 'No.', status };
      response.writeHead(status).end(status === 200 ? '[]' : JSON.stringify(error));
    });

    const text = await failure(heartbeat(address));

    expect(text).toContain(
      'GET /pets without a key: status 401, expected 401 with a valid body, request null; ' +
        'POST /pets without a name: status 400, expected 400 with a valid body, request null',
    );
  });

  it('follows no redirect', async () => {
    const elsewhere = vi.fn<RequestListener>((_request, response) => response.end('[]'));
    const other = await listen(elsewhere);
    const address = await brokenService((_request, response) =>
      response.writeHead(307, { Location: `${other}/v1/pets` }).end(),
    );

    await failure(heartbeat(address));

    expect(elsewhere).not.toHaveBeenCalled();
  });

  it('fails if the connection breaks, and says how', async () => {
    const address = await brokenService(({ socket }) => socket.destroy());

    expect(await failure(heartbeat(address))).toMatch(/GET \/pets: fetch failed, \w+/);
  });

  it('fails in time if the service never responds', async () => {
    const { timeout } = AbortSignal;
    const asked = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(20));
    const address = await brokenService(() => {});

    const text = await failure(heartbeat(address));

    expect(text).toMatch(/^GET \/pets: The operation was aborted due to timeout; GET/);
    // Of the 25 s that the function has.
    expect(asked.mock.calls).toEqual([[15_000], [15_000], [15_000]]);
  });

  it('fails if its key was not stored, and names the parameter', async () => {
    const text = await failure(
      heartbeat(service.baseAddress, (response) =>
        response.writeHead(400).end('{"__type":"ParameterNotFound"}'),
      ),
    );

    expect(text).toContain(`cannot be read from the parameter ${parameter}: ParameterNotFound`);
  });

  it('fails in time if Systems Manager never responds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });

    const text = await failure(heartbeat(service.baseAddress, () => vi.advanceTimersByTime(3000)));

    expect(text).toContain(`cannot be read from the parameter ${parameter}: TimeoutError`);
    expect(asked).toHaveLength(2);
  });

  it('writes its key to no error, even if a gateway repeats it', async () => {
    const address = await brokenService(({ headers }, response) => {
      response.writeHead(403).end(JSON.stringify({ message: headers.authorization }));
    });

    const text = await failure(heartbeat(address));

    expect(text).toContain('status 403');
    expect(text).not.toContain(apiKey.slice(-10));
  });
});
