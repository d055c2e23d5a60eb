import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer, json, text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { serveDocs } from '../../infra/docs/serveDocs.ts';
import { docs } from '../../infra/tools/docs.ts';
import { apiKey } from '../helpers/api.ts';
import { functions, startGateway } from '../helpers/gateway.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';
import { sendBytes } from '../helpers/rawHttp.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const gateway = await startGateway(functions, { onRequest: serveDocs({ apiKey }) });

const authorization = { Authorization: `Bearer ${apiKey}` };

type Sent = { method?: string; path?: string; host?: string; headers?: object };

/** Unlike `fetch`, sends any Host header. */
async function send({ method = 'GET', path = '/', host, headers }: Sent = {}) {
  const { port } = gateway.server.address() as AddressInfo;
  const allHeaders = { Host: host ?? `localhost:${port}`, ...headers };
  const sent = request({ host: '127.0.0.1', port, method, path, headers: allHeaders });
  const [response] = await once(sent.end(), 'response');
  return response;
}

const openApiDocument = JSON.parse(readFileSync('openapi.json', 'utf8'));

describe('serveDocs', () => {
  it('serves the page with the key at /, with no caching and no framing', async () => {
    const response = await send();

    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/),
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    });
    expect(await text(response)).toContain(apiKey);
  });

  it('serves this machine as the first server of openapi.json, before the deployments', async () => {
    const document = await json(await send({ path: '/openapi.json' }));

    expect(document).toMatchObject({ servers: [{ url: '/v1' }, ...openApiDocument.servers] });
  });

  it('sends the script compressed, and lets browsers keep it at its version only', async () => {
    const [script = ''] = /scalar\.js\?\w+/.exec(await text(await send())) ?? [];
    const headers = { 'Accept-Encoding': 'gzip, br' };

    const response = await send({ path: `/${script}`, headers });
    expect(response.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
    });
    const body = await buffer(response);
    expect(body.length).toBeLessThan(1_500_000);
    const plain = await send({ path: '/scalar.js' });
    expect(plain.headers['cache-control']).toBe('no-store');
    expect(gunzipSync(body).equals(await buffer(plain))).toBe(true);
  });

  it('responds to HEAD without a body', async () => {
    const response = await send({ method: 'HEAD' });

    expect(response.statusCode).toBe(200);
    expect(await text(response)).toBe('');
  });

  it.each(['localhost', '127.0.0.1:80', '[::1]:3000', 'LOCALHOST'])(
    'serves the page for the host %s',
    async (host) => {
      expect((await send({ host })).statusCode).toBe(200);
    },
  );

  it.each(['evil.test', 'localhost.evil.test', '127.0.0.1.evil.test', 'localhost:1@evil.test'])(
    'passes requests for the foreign host %s to the functions',
    async (host) => {
      for (const path of ['/', '/openapi.json', '/startScalar.js']) {
        const response = await send({ host, path, headers: authorization });

        expect(response.statusCode).toBe(404);
        expect(await text(response)).not.toContain(apiKey);
      }
    },
  );

  it('shows the key to a browser', async () => {
    // Those of Chromium and Firefox.
    const names = [
      ...['Accept', 'Accept-Encoding', 'Accept-Language', 'Cache-Control', 'Cookie', 'DNT'],
      ...['If-None-Match', 'Pragma', 'Priority', 'Referer', 'Sec-CH-UA', 'Sec-Fetch-Site'],
      ...['Sec-GPC', 'TE', 'Upgrade-Insecure-Requests', 'User-Agent'],
    ];

    const response = await send({ headers: Object.fromEntries(names.map((name) => [name, 'x'])) });

    expect(await text(response)).toContain(apiKey);
  });

  it.each([
    ...['Forwarded', 'Via', 'X-Forwarded-For', 'X-Real-IP', 'X-Client-IP', 'True-Client-IP'],
    ...['CF-Connecting-IP', 'Fastly-Client-IP'],
  ])('hides the key from a proxy that sends %s', async (name) => {
    const response = await send({ headers: { [name]: 'x' } });

    expect(response.statusCode).toBe(200);
    expect(await text(response)).not.toContain(apiKey);
  });

  it('hides the key from a proxy that sends HTTP/1.0', async () => {
    const page = await sendBytes(gateway.server, 'GET / HTTP/1.0\r\nHost: localhost\r\n\r\n');

    expect(page).toMatch(/^HTTP\/1.1 200 /);
    expect(page).not.toContain(apiKey);
  });

  it.each([
    ['POST', '/', 404],
    ['GET', '/docs', 404],
    ['GET', '/../package.json', 404],
    ['GET', '/v1/pets', 200],
  ])('passes %s %s to the functions', async (method, path, status) => {
    const response = await send({ method, path, headers: authorization });

    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toBe('application/json');
  });
});

describe('npm run docs', () => {
  it('writes a page with the deployments and without a key', async () => {
    const folder = await temporaryFolder();

    const { exitCode } = await runCommandHere(docs, ['--out', folder]);

    expect(exitCode).toBe(0);
    const html = await readFile(join(folder, 'index.html'), 'utf8');
    expect(html).toContain('/v1-production/v1');
    expect(html).not.toMatch(/ps_\w/);
    const written = JSON.parse(await readFile(join(folder, 'openapi.json'), 'utf8'));
    expect(written).toEqual(openApiDocument);
  });
});
