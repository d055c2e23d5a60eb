import { beforeEach, describe, expect, it } from 'vitest';
import { apiKey } from '../helpers/api.ts';
import { emptyStore, storedItems } from '../helpers/database.ts';
import { serveFunctions } from '../helpers/gateway.ts';
import { answersIn, sendBytes } from '../helpers/rawHttp.ts';

const gateway = serveFunctions();

const authorization = `Authorization: Bearer ${apiKey}\r\n`;
const body = '{"name":"Smuggled","categoryId":1}';
/** What an attacker hides behind a request, for a server to take for the next one. */
const smuggled = `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${authorization}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;

const post = (headers: string, sent: string) =>
  `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${headers}\r\n${sent}`;

beforeEach(emptyStore);

describe('request smuggling', () => {
  it.each([
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'],
    ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', '0\r\n\r\n'],
    ['two lengths', 'Content-Length: 0\r\nContent-Length: 44\r\n', ''],
    ['two lengths in one', 'Content-Length: 0, 44\r\n', ''],
    ['a negative length', 'Content-Length: -1\r\n', ''],
    ['a length with a sign', 'Content-Length: +0\r\n', ''],
    ['a length in hex', 'Content-Length: 0x0\r\n', ''],
    ['a length beyond int64', `Content-Length: ${2n ** 64n}\r\n`, ''],
    ['a space before the colon', 'Content-Length : 0\r\n', ''],
    ['a folded header', 'X-Fold: a\r\n Content-Length: 44\r\nContent-Length : 0\r\n', ''],
    ['an encoding that ends in no chunks', 'Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n'],
    ['an encoding that is none', 'Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'],
    ['chunks of no number', 'Transfer-Encoding: chunked\r\n', 'zz\r\n\r\n'],
    ['chunks beyond int64', 'Transfer-Encoding: chunked\r\n', `${'f'.repeat(17)}\r\n\r\n`],
    ['a line that ends in LF alone', 'X-Bare: a\nContent-Length: 44\r\nContent-Length : 0\r\n', ''],
    ['a null in a header', 'X-Null: a\0b\r\n', ''],
  ])(
    'by %s is answered 400 once, and what follows is not taken for a request',
    async (_case, headers, sent) => {
      const received = await sendBytes(gateway.server, `${post(headers, sent)}${smuggled}`);

      const answers = answersIn(received);
      expect(answers).toHaveLength(1);
      expect(answers[0]).toMatch(/^HTTP\/1\.1 400 .+Connection: close/s);
      expect(await storedItems()).toEqual([]);
    },
  );

  it('by a body that looks like a request stays a body', async () => {
    const received = await sendBytes(
      gateway.server,
      post(`${authorization}Content-Length: ${smuggled.length}\r\nConnection: close\r\n`, smuggled),
    );

    expect(answersIn(received, 'POST', '/v1/pets')).toHaveLength(1);
    expect(received).toContain('The body is not valid JSON');
    expect(await storedItems()).toEqual([]);
  });

  it('by an upgrade to another protocol is not followed', async () => {
    const upgrade = `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${authorization}Connection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n`;

    const received = await sendBytes(gateway.server, upgrade);

    expect(received).toMatch(/^HTTP\/1\.1 200 /);
  });
});
