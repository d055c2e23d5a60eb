import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as fallback } from '../../functions/fallback.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { createLocalGateway } from '../../infra/local/localGateway.ts';
import { apiKey } from '../helpers/api.ts';
import { storedItems } from '../helpers/database.ts';
import { listenDescribed } from '../helpers/listenDescribed.ts';

let server: ReturnType<typeof createLocalGateway>;
let origin: string;

beforeEach(async () => {
  server = createLocalGateway({ createPet, fallback, getPet, listPets });
  origin = await listenDescribed(server);
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const trickle = (bytes: string) => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(bytes);
  return socket;
};

const post = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n`;

describe('slow clients', () => {
  it('have 10 seconds for the headers and 30 for a request', () => {
    expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 });
  });

  it.each([
    ['headers', 'headersTimeout', 'GET /v1/pets HTTP/1.1\r\nX-Slow: '],
    ['a body', 'requestTimeout', `${post}Content-Length: 100\r\n\r\n{"name":`],
    ['chunks', 'requestTimeout', `${post}Transfer-Encoding: chunked\r\n\r\n5\r\n{"nam`],
  ] as const)(
    'that never finish %s are answered 400 and let go, and write nothing',
    async (_case, limit, bytes) => {
      server[limit] = 1;
      if (limit === 'requestTimeout') server.headersTimeout = 1;

      const answer = await text(trickle(bytes));

      expect(answer).toMatch(
        /^HTTP\/1\.1 400 .+Connection: close.+The request took too long to arrive\./s,
      );
      expect(await storedItems()).toEqual([]);
    },
  );

  it('keep nobody from being served', async () => {
    const slow = Array.from({ length: 200 }, () => trickle('GET /v1/pets HTTP/1.1\r\nX-Slow: '));
    await Promise.all(slow.map((socket) => once(socket, 'connect')));

    const response = await fetch(`${origin}/v1/pets`, {
      headers: { Authorization: `Bearer ${apiKey}` },
    });

    expect(response.status).toBe(200);
    for (const socket of slow) socket.destroy();
  });
});
