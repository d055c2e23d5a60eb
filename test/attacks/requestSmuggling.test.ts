import { beforeEach, describe, expect, it } from 'vitest';
import { apiKey } from '../helpers/api.ts';
import { emptyStore, storedItems } from '../helpers/database.ts';
import { serveFunctions } from '../helpers/gateway.ts';
import { responsesIn, sendBytes } from '../helpers/rawHttp.ts';

const gateway = serveFunctions();

const authorization = `Authorization: Bearer ${apiKey}\r\n`;
const body = '{"name":"Smuggled","categoryId":1}';
/** The request that an attacker hides behind another one. */
const smuggled = `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${authorization}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;

const post = (headers: string, sent: string) =>
  `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${headers}\r\n${sent}`;

beforeEach(emptyStore);

describe('request smuggling', () => {
  it.each([
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'],
    ['two lengths', 'Content-Length: 0\r\nContent-Length: 44\r\n', ''],
    ['a space before the colon', 'Content-Length : 0\r\n', ''],
    ['an encoding that does not end in chunked', 'Transfer-Encoding: chunked, identity\r\n', ''],
    ['a line that ends in LF only', 'X-Bare: a\nContent-Length: 44\r\nContent-Length : 0\r\n', ''],
  ])('by %s gets one 400 and creates nothing', async (_case, headers, sent) => {
    const received = await sendBytes(gateway.server, `${post(headers, sent)}${smuggled}`);

    const responses = responsesIn(received);
    expect(responses).toHaveLength(1);
    expect(responses[0]).toMatch(/^HTTP\/1\.1 400 .+Connection: close/s);
    expect(await storedItems()).toEqual([]);
  });

  it('by a body that looks like a request stays a body', async () => {
    const received = await sendBytes(
      gateway.server,
      post(`${authorization}Content-Length: ${smuggled.length}\r\nConnection: close\r\n`, smuggled),
    );

    expect(responsesIn(received, 'POST', '/v1/pets')).toHaveLength(1);
    expect(received).toContain('The body is not valid JSON');
    expect(await storedItems()).toEqual([]);
  });
});
