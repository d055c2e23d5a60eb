import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createLocalGateway } from '../../infra/local/localGateway.ts';
import { checkResponse } from '../contract/checkResponse.ts';
import { apiKey } from '../helpers/api.ts';
import { functions, startGateway } from '../helpers/gateway.ts';
import { listen } from '../helpers/listen.ts';
import { sendBytes } from '../helpers/rawHttp.ts';
import { petText, withoutId } from '../helpers/samplePets.ts';

const gateway = await startGateway();
const authorization = `Bearer ${apiKey}`;

/** Sends a request. Throws if the response breaks a promise of every response. */
async function send(path: string, init: RequestInit = {}, { origin } = gateway): Promise<Response> {
  const headers = { authorization, ...init.headers };
  const response = await fetch(`${origin}${path}`, { ...init, headers });
  checkResponse({
    method: init.method ?? 'GET',
    path: path.replace('/v1', ''),
    status: response.status,
    headers: response.headers,
    text: await response.clone().text(),
  });
  return response;
}

describe('a request over HTTP', () => {
  it('gets 413 with an Error body if the body exceeds the limit of the gateway', async () => {
    const body = Buffer.alloc(11 * 1024 * 1024, ' ');

    const response = await send('/v1/pets', { method: 'POST', body });

    expect(response.status).toBe(413);
    const message = 'The request exceeds the 10 MB of the gateway.';
    expect(await response.json()).toMatchObject({ message });
  });

  it('gets 415 with an Error body for a body with a Content-Encoding', async () => {
    const headers = { 'Content-Encoding': 'br' };

    const response = await send('/v1/pets', { method: 'POST', headers, body: petText() });

    expect(response.status).toBe(415);
    const message = 'npm start does not decompress: send the body without Content-Encoding.';
    expect(await response.json()).toMatchObject({ message });
  });

  it('gets 500 with an Error body if a function throws past its middleware stack', async () => {
    const broken = { ...functions, listPets: () => Promise.reject(new Error('broken')) };
    const origin = await listen(createLocalGateway(broken));

    expect((await send('/v1/pets', {}, { ...gateway, origin })).status).toBe(500);
  });

  it('gets a link to localhost for a Host header that is not a host', async () => {
    const response = await sendBytes(
      gateway.server,
      `POST /v1/pets HTTP/1.1\r\nHost: evil>"; x\r\nAuthorization: ${authorization}\r\nContent-Length: ${petText().length}\r\nConnection: close\r\n\r\n${petText()}`,
    );

    expect(response).not.toContain('evil');
    expect(response).toMatch(/Location: http:\/\/localhost:\d+\/v1\/pets\/\d+/i);
  });
});

describe('bytes that are not a request', () => {
  const createRex = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: ${petText().length}\r\n\r\n`;
  const chunked = 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';

  it('get 400 with an Error body', async () => {
    const received = await sendBytes(gateway.server, 'hello\r\n\r\n');

    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    for (const header of [
      'X-Request-Id: ',
      'Cache-Control: no-store',
      'Content-Type: application/json',
    ]) {
      expect(head).toContain(`\r\n${header}`);
    }
    const message = expect.stringContaining('not valid HTTP');
    expect(JSON.parse(body)).toEqual({ code: 'bad_request', message, status: 400 });
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['a request with a damaged body', chunked],
    ['a CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('do not change the response to the request before them: %s', async (_what, bytes) => {
    const received = await sendBytes(gateway.server, `${createRex}${petText()}${bytes}`);

    const [, body = ''] = received.split('\r\n\r\n');
    expect(received).toMatch(/^HTTP\/1.1 201 /);
    expect(withoutId(body)).toBe(petText());
  });
});

describe('a preflight request', () => {
  it('gets 204 for an allowed origin, without a key', async () => {
    const allowed = 'http://a.test';
    const origin = await listen(createLocalGateway(functions, { corsOrigins: [allowed] }));
    const preflight = async (path: string) => {
      const sent = { method: 'OPTIONS', headers: { Origin: allowed } };
      const [response] = await once(request(`${origin}${path}`, sent).end(), 'response');
      return (response as IncomingMessage).resume();
    };

    const { statusCode = 0, headers } = await preflight('/v1/pets');

    expect(statusCode).toBe(204);
    checkResponse({
      method: 'OPTIONS',
      path: '/pets',
      status: statusCode,
      headers: new Headers(headers as Record<string, string>),
      text: '',
    });
    expect(headers['access-control-allow-origin']).toBe(allowed);
    expect(headers).toHaveProperty('access-control-allow-headers');
    expect((await preflight('/v1/unknown')).statusCode).toBe(401);
  });
});
