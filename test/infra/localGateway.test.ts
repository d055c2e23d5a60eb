import { describe, expect, it } from 'vitest';
import { createLocalGateway } from '../../infra/local/localGateway.ts';
import { checkResponse } from '../contract/checkResponse.ts';
import { apiKey } from '../helpers/api.ts';
import { functions, sendBytes, startGateway } from '../helpers/gateway.ts';
import { listen } from '../helpers/listen.ts';
import { petText, withoutId } from '../helpers/samplePets.ts';

const gateway = await startGateway();
const authorization = `Bearer ${apiKey}`;
const createRex = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: ${petText().length}\r\n\r\n`;

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

  it('gets 500 with an Error body if a function throws past its middleware stack', async () => {
    const broken = { ...functions, listPets: () => Promise.reject(new Error('broken')) };
    const origin = await listen(createLocalGateway(broken));

    expect((await send({}, origin)).status).toBe(500);
  });

  it('gets a relative link for a Host header that is not a host', async () => {
    const bytes = `${createRex.replace('Host: x', 'Host: evil>"; x')}${petText()}hello\r\n`;

    expect(await sendBytes(gateway.origin, bytes)).toMatch(/\r\nLocation: \/v1\/pets\/\d+\r\n/i);
  });
});

describe('bytes that are not a request', () => {
  const chunked = 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';

  it('get 400 with an Error body', async () => {
    const received = await sendBytes(gateway.origin, 'hello\r\n\r\n');

    const [head = '', text = ''] = received.split('\r\n\r\n');
    const [statusLine, ...lines] = head.split('\r\n');
    expect(statusLine).toBe('HTTP/1.1 400 Bad Request');
    const headers = new Headers(lines.map((line) => line.split(': ') as [string, string]));
    checkResponse({ method: 'GET', path: '/', status: 400, headers, text });
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['a request with a damaged body', chunked],
    ['a CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('do not change the response to the request before them: %s', async (_what, bytes) => {
    const received = await sendBytes(gateway.origin, `${createRex}${petText()}${bytes}`);

    const [, body = ''] = received.split('\r\n\r\n');
    expect(received).toMatch(/^HTTP\/1.1 201 /);
    expect(withoutId(body)).toBe(petText());
  });
});

describe('a preflight request', () => {
  it('gets 204 for an allowed origin, without a key', async () => {
    const headers = { Origin: 'http://a.test', authorization: '' };
    const corsOrigins = [headers.Origin];
    const origin = await listen(createLocalGateway(functions, { corsOrigins }));

    const preflight = await send({ method: 'OPTIONS', headers }, origin);

    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe(headers.Origin);
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('Authorization');
  });
});
