import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Handler } from '../../lib/http/handler.ts';
import type { GatewayLog } from '../../local/gatewayLog.ts';
import { createLocalGateway, type RequestHook } from '../../local/localGateway.ts';
import { checkResponse } from '../contract/checkResponse.ts';
import { apiKey } from '../helpers/api.ts';
import { storeItem } from '../helpers/database.ts';
import { functions, startGateway } from '../helpers/gateway.ts';
import { listen } from '../helpers/listen.ts';
import { petText, storedPet } from '../helpers/samplePets.ts';

const gateway = await startGateway();
const authorization = `Bearer ${apiKey}`;

/** The bytes of a request that adds a pet. */
function post(headers = ''): string {
  const { length } = petText();
  return `POST /v1/pets HTTP/1.1\r\n${headers}Authorization: ${authorization}\r\nContent-Length: ${length}\r\n\r\n${petText()}`;
}

const broken = { ...functions, createPet: () => Promise.reject(new Error('broken')) };

const open = (origin = gateway.origin) => connect(Number(new URL(origin).port), '127.0.0.1');

/** Sends bytes, and returns everything that comes back. */
function sendBytes(bytes: string, origin?: string): Promise<string> {
  const socket = open(origin);
  socket.write(bytes);
  return text(socket);
}

/** Sends a request. Throws if the response breaks a promise of every response. */
async function send(init: RequestInit, origin = gateway.origin): Promise<Response> {
  const headers = { authorization, ...init.headers };
  const response = await fetch(`${origin}/v1/pets`, { ...init, headers });
  checkResponse({
    method: init.method ?? 'GET',
    path: '/pets',
    status: response.status,
    headers: response.headers,
    text: await response.clone().text(),
  });
  return response;
}

describe('a request over HTTP', () => {
  it('gets 415 with an Error body for a body with a Content-Encoding', async () => {
    const headers = { 'Content-Encoding': 'br' };

    const response = await send({ method: 'POST', headers, body: petText() });

    expect(response.status).toBe(415);
    const message = 'npm start does not decompress: send the body without Content-Encoding.';
    expect(await response.json()).toMatchObject({ message });
  });

  it('gets a Location below the host that its client used', async () => {
    const received = await sendBytes(post('Host: 192.0.2.1:3000\r\nConnection: close\r\n'));

    expect(received).toMatch(/^Location: http:\/\/192\.0\.2\.1:3000\/v1\/pets\/\d+\r$/m);
  });

  it.each(['Identity', ''])(
    'may have the Content-Encoding "%s", which changes nothing',
    async (coding) => {
      const headers = { 'Content-Encoding': coding, 'Content-Type': 'application/json' };

      expect((await send({ method: 'POST', headers, body: petText() })).status).toBe(201);
    },
  );

  it('reaches a function with only the beginning of a body that is too large', async () => {
    const createPet = vi.fn(functions.createPet);
    const origin = await listen(createLocalGateway({ ...functions, createPet }));

    const headers = { 'Content-Type': 'application/json' };
    const sent = { method: 'POST', headers, body: 'x'.repeat(1_000_000) };

    expect((await send(sent, origin)).status).toBe(413);
    expect(createPet.mock.lastCall?.[0].body?.length).toBeLessThan(200_000);
  });

  it('gets 500 with an Error body if a function throws past its middleware stack', async () => {
    const origin = await listen(createLocalGateway(broken));

    expect((await send({ method: 'POST' }, origin)).status).toBe(500);
  });

  it('gets an error of the gateway that every page may read if any origin is allowed', async () => {
    const corsOrigins = ['http://a.test'];
    const origin = await listen(createLocalGateway(broken, { corsOrigins }));

    const { status, headers } = await fetch(`${origin}/v1/pets`, { method: 'POST' });

    expect(status).toBe(500);
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(headers.get('Access-Control-Expose-Headers')).toBe('*');
  });

  it.each([
    ['with a Host header that is not a host', 'Host: evil>"; x\r\n'],
    ['without a Host header', ''],
  ])('adds a pet, with a relative link: %s', async (_what, header) => {
    const received = await sendBytes(post(`${header}Connection: close\r\n`));

    expect(received).toMatch(/^HTTP\/1\.1 201 .+\r\nLocation: \/v1\/pets\/\d+\r\n/is);
  });

  it.each([
    ['200', 'an absolute target', 'GET http://x/v1/pets', ''],
    ['200', 'an encoded id', 'GET /v1/pets/%31', ''],
    ['404', 'an id that is not UTF-8', 'GET /v1/pets/%E0%A4%A', ''],
    ['404', 'an encoded slash', 'GET /v1%2Fpets', ''],
    ['400', 'a question mark in its query', 'GET /v1/pets?status=sold?', ''],
    ['400', 'a repeated parameter', 'GET /v1/pets?limit=5&limit=5', ''],
    ['400', 'a repeated header', 'POST /v1/pets', 'Idempotency-Key: a\r\nIdempotency-Key: a\r\n'],
    ['401', 'two API keys', 'GET /v1/pets', `Authorization: ${authorization}\r\n`],
  ])('gets %s for %s, as from API Gateway', async (status, _what, target, header) => {
    await storeItem(storedPet(1n));
    const body = petText();
    const head = `Host: x\r\nAuthorization: ${authorization}\r\n${header}Content-Length: ${body.length}\r\nConnection: close`;

    const received = await sendBytes(`${target} HTTP/1.1\r\n${head}\r\n\r\n${body}`);

    expect(received).toMatch(RegExp(`^HTTP/1.1 ${status} `));
  });

  it('gets its response if its client has ended its side of the connection', async () => {
    const received = await text(open().end(post()));

    expect(received).toMatch(/^HTTP\/1\.1 201 /);
  });

  it('keeps its connection open for 75 s, longer than most clients', async () => {
    expect((await send({})).headers.get('Keep-Alive')).toBe('timeout=75');
  });
});

/** Serves a `listPets` that waits until its `release`. */
async function startSlowGateway() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const listPets = vi.fn<Handler>(async (...args) => {
    await released;
    return functions.listPets(...args);
  });
  const onRequest = vi.fn<RequestHook>(async () => undefined);
  const log = vi.fn<GatewayLog>();
  const origin = await listen(createLocalGateway({ ...functions, listPets }, { onRequest, log }));
  /** Sends requests on one connection, waits until 20 run, and returns the statuses of the responses. */
  async function fill(count: number) {
    const get = 'GET /v1/pets HTTP/1.1\r\n';
    const received = sendBytes(
      `${`${get}\r\n`.repeat(count - 1)}${get}Connection: close\r\n\r\n`,
      origin,
    );
    await expect.poll(() => onRequest.mock.calls.length).toBe(count);
    await expect.poll(() => listPets.mock.calls.length).toBe(20);
    const statuses = received.then((text) =>
      Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => Number(status)),
    );
    return { statuses };
  }
  return { origin, listPets, onRequest, log, release, fill };
}

describe('many requests at once', () => {
  it('run 20 at a time while the others wait, and get 429 while 300 run or wait', async () => {
    const { origin, listPets, log, release, fill } = await startSlowGateway();
    const { statuses } = await fill(301);
    await expect.poll(() => log.mock.calls).toMatchObject([[{ status: 429 }]]);
    expect(listPets).toHaveBeenCalledTimes(20);

    release();

    expect(await statuses).toEqual([...Array(300).fill(401), 429]);
    expect((await send({}, origin)).status).toBe(200);
  });

  it('have the whole time of a function from their turn on', async () => {
    const { listPets, release, fill } = await startSlowGateway();
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { statuses } = await fill(21);

    vi.setSystemTime(Date.now() + 60_000);
    release();
    await statuses;

    expect(listPets.mock.lastCall?.[1]?.getRemainingTimeInMillis?.()).toBe(10_000);
  });

  it('get 504 after 12 s if a function does not end, and the next one runs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { listPets, log, release, fill } = await startSlowGateway();
    const { statuses } = await fill(21);

    vi.advanceTimersByTime(11_999);
    expect(log).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    await expect.poll(() => listPets.mock.calls.length).toBe(21);
    release();

    expect(await statuses).toEqual([...Array(20).fill(504), 401]);
  });

  it('do not run if their client leaves while they wait', async () => {
    const { origin, listPets, onRequest, log, release, fill } = await startSlowGateway();
    const { statuses } = await fill(20);
    const client = new AbortController();
    const abandoned = fetch(`${origin}/v1/pets`, { signal: client.signal }).catch(() => {});
    await expect.poll(() => onRequest.mock.calls.length).toBe(21);

    client.abort();
    await abandoned;
    await expect.poll(() => onRequest.mock.lastCall?.[0].socket.readable).toBe(false);
    release();
    await statuses;
    await expect.poll(() => log.mock.calls.length).toBe(21);

    expect(listPets).toHaveBeenCalledTimes(20);
    expect((await send({}, origin)).status).toBe(200);
  });
});

describe('a preflight request', () => {
  it('gets 204 for an allowed origin, without a key, on the paths of operations only', async () => {
    const headers = { Origin: 'http://a.test', authorization: '' };
    const corsOrigins = [headers.Origin];
    const origin = await listen(createLocalGateway(functions, { corsOrigins }));

    const preflight = await send({ method: 'OPTIONS', headers }, origin);

    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe(headers.Origin);
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('Authorization');
    const unknownPath = await fetch(`${origin}/v1/unknown`, { method: 'OPTIONS', headers });
    expect(unknownPath.status).toBe(401);
  });
});
