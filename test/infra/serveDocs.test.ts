import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { buffer, json, text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveDocs } from '../../infra/docs/serveDocs.ts';
import { createLocalGateway } from '../../infra/local/localGateway.ts';
import { apiKey } from '../helpers/api.ts';
import { functions } from '../helpers/gateway.ts';

const gateway = createLocalGateway(functions, {
  onRequest: serveDocs({ apiKey, host: 'pets.test' }),
});
let port: number;

type Sent = {
  method?: string;
  path?: string;
  host?: string;
  to?: string;
  headers?: Record<string, string>;
};

/** Unlike `fetch`, sends any Host header to any address of this machine. */
async function send({ method = 'GET', path = '/', host, to = '127.0.0.1', ...sent }: Sent) {
  const headers = {
    Host: host ?? `localhost:${port}`,
    Authorization: `Bearer ${apiKey}`,
    ...sent.headers,
  };
  const [response] = await once(
    request({ host: to, port, method, path, headers }).end(),
    'response',
  );
  return response;
}

/** The path of the page's script, whose name has its hash. */
async function scriptPath(): Promise<string> {
  return `/${/reference-[\da-f]{16}\.js/.exec(await text(await send({})))?.[0]}`;
}

/** An address of this machine other than loopback. */
const ownAddress = Object.values(networkInterfaces())
  .flat()
  .find((each) => each && !each.internal && each.family === 'IPv4')?.address;

if (ownAddress === undefined) {
  process.stderr.write('*** SKIPPED: this machine has no address other than loopback. ***\n');
}

beforeAll(async () => {
  await gateway.listen({ port: 0, host: '0.0.0.0' });
  port = (gateway.server.address() as AddressInfo).port;
});

afterAll(() => gateway.close());

describe('serveDocs', () => {
  it('serves the page with the key at /, with no caching and no framing', async () => {
    const response = await send({});

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

  it('sends the script compressed, for browsers to keep, under a name that has its hash', async () => {
    const path = await scriptPath();
    const compressed = await send({ path, headers: { 'Accept-Encoding': 'gzip, deflate, br' } });
    const plain = await send({ path });

    expect(compressed.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers.vary).toBe('Accept-Encoding');
    const [sent, script] = await Promise.all([buffer(compressed), buffer(plain)]);
    expect(sent.length).toBeLessThan(1_300_000);
    expect(gunzipSync(sent).equals(script)).toBe(true);
    expect(path).toContain(createHash('sha256').update(script).digest('hex').slice(0, 16));
  });

  it('serves this machine as the first server of openapi.json, before the deployments', async () => {
    const document = await json(await send({ path: '/openapi.json' }));
    const { servers } = JSON.parse(await readFile('openapi.json', 'utf8'));

    expect(document).toMatchObject({ servers: [{ url: '/v1' }, ...servers] });
  });

  it('responds to HEAD without a body', async () => {
    const response = await send({ method: 'HEAD' });

    expect(response.statusCode).toBe(200);
    expect(Number(response.headers['content-length'])).toBeGreaterThan(0);
    expect(await text(response)).toBe('');
  });

  it.each(['localhost', '127.0.0.1:80', '[::1]:3000', 'LOCALHOST', 'pets.test'])(
    'serves the page for the host %s',
    async (host) => {
      expect((await send({ host })).statusCode).toBe(200);
    },
  );

  it.each(['evil.test', 'localhost.evil.test', '127.0.0.1.evil.test', 'localhost:1@evil.test'])(
    'passes requests for the foreign host %s to the functions',
    async (host) => {
      for (const path of ['/', '/openapi.json', '/icon.svg', await scriptPath()]) {
        const response = await send({ host, path });

        expect(response.statusCode).toBe(404);
        expect(await text(response)).not.toContain(apiKey);
      }
    },
  );

  it.skipIf(ownAddress === undefined)('hides the key from other machines', async () => {
    const response = await send({ to: ownAddress ?? '' });

    expect(response.statusCode).toBe(200);
    expect(await text(response)).not.toContain(apiKey);
  });

  it.each(['Forwarded', 'Via', 'X-Forwarded-For'])(
    'hides the key from a proxy that sends %s',
    async (name) => {
      const response = await send({ headers: { [name]: 'x' } });

      expect(response.statusCode).toBe(200);
      expect(await text(response)).not.toContain(apiKey);
    },
  );

  it.each([
    ['POST', '/'],
    ['GET', '/docs'],
    ['GET', '/js/scalar.js'],
    ['GET', '/reference-0123456789abcdef.js'],
    ['GET', '/js/../package.json'],
    ['GET', '/constructor'],
    ['GET', '/v1/pets'],
  ])('passes %s %s to the functions', async (method, path) => {
    const response = await send({ method, path });

    expect(response.headers['content-type']).toBe('application/json');
  });
});
