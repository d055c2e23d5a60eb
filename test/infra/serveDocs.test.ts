import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { json, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as fallback } from '../../functions/fallback.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { createLocalGateway, type HandledRequest } from '../../infra/local/localGateway.ts';
import { serveDocs } from '../../infra/local/serveDocs.ts';
import { apiKey } from '../helpers/api.ts';

const handled: HandledRequest[] = [];
const functions = { createPet, fallback, getPet, listPets };
const server = createLocalGateway(functions, (each) => handled.push(each));
serveDocs(server, { apiKey, host: 'pets.test' });
let port: number;

type Sent = { method?: string; path?: string; host?: string; to?: string };

/** Sends what `fetch` would not: any Host header, to any address of this machine. */
async function send({ method = 'GET', path = '/', host, to = '127.0.0.1' }: Sent) {
  const headers = { Host: host ?? `localhost:${port}`, Authorization: `Bearer ${apiKey}` };
  const [response] = await once(
    request({ host: to, port, method, path, headers }).end(),
    'response',
  );
  return response;
}

/** An address of this machine that is not loopback, if it has one. */
const ownAddress = Object.values(networkInterfaces())
  .flat()
  .find((each) => each && !each.internal && each.family === 'IPv4')?.address;

if (ownAddress === undefined) {
  process.stderr.write('*** SKIPPED: this machine has no address but loopback to come from. ***\n');
}

beforeAll(async () => {
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

afterAll(() => {
  server.close();
});

describe('serveDocs', () => {
  it('serves the page with the key at /, to be kept and framed by nobody', async () => {
    const response = await send({});

    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/),
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'self';.+connect-src 'self';.+frame-ancestors 'none'$/,
      ),
    });
    expect(await text(response)).toContain(apiKey);
  });

  it('loads nothing but what it serves itself', async () => {
    const page = await text(await send({}));
    const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);

    const statuses = addresses.map(async (path) => (await send({ path: `/${path}` })).statusCode);

    expect(addresses).toContain('docs/scalar.js');
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
  });

  it('describes itself as the first server, and the deployments after it', async () => {
    const description = await json(await send({ path: '/openapi.json' }));
    const { servers } = JSON.parse(await readFile('openapi.json', 'utf8'));

    expect(description).toMatchObject({
      servers: [{ url: `http://localhost:${port}/v1` }, ...servers],
    });
  });

  it('answers HEAD without a body', async () => {
    const response = await send({ method: 'HEAD' });

    expect(response.statusCode).toBe(200);
    expect(Number(response.headers['content-length'])).toBeGreaterThan(0);
    expect(await text(response)).toBe('');
  });

  it.each(['localhost', '127.0.0.1:80', '[::1]:3000', 'LOCALHOST', 'pets.test'])(
    'knows itself as %s',
    async (host) => {
      expect((await send({ host })).statusCode).toBe(200);
    },
  );

  it.each(['evil.test', 'localhost.evil.test', '127.0.0.1.evil.test', 'localhost:1@evil.test'])(
    'leaves a request to the gateway that was rebound from %s',
    async (host) => {
      for (const path of ['/', '/openapi.json', '/docs/scalar.js']) {
        const response = await send({ host, path });

        expect(response.statusCode).toBe(404);
        expect(await text(response)).not.toContain(apiKey);
      }
    },
  );

  it.skipIf(ownAddress === undefined)('keeps the key from the network', async () => {
    const response = await send({ to: ownAddress ?? '' });

    expect(response.statusCode).toBe(200);
    expect(await text(response)).not.toContain(apiKey);
  });

  it.each([
    ['POST', '/'],
    ['GET', '/docs'],
    ['GET', '/docs/../package.json'],
    ['GET', '/constructor'],
    ['GET', '/v1/pets'],
  ])('leaves %s %s to the gateway', async (method, path) => {
    handled.length = 0;

    await text(await send({ method, path }));

    expect(handled).toMatchObject([{ method }]);
  });

  it('tells the gateway nothing of its own requests', async () => {
    handled.length = 0;

    await text(await send({}));
    await text(await send({ path: '/v1/pets' }));

    expect(handled.map(({ path }) => path)).toEqual(['/v1/pets']);
  });
});
