import { describe, expect, it } from 'vitest';
import { apiKey } from '../helpers/api.ts';
import { serveFunctions } from '../helpers/gateway.ts';
import { sendBytes } from '../helpers/rawHttp.ts';

const gateway = serveFunctions();

const authorization = `Authorization: Bearer ${apiKey}\r\n`;

describe('header splitting', () => {
  it.each([
    ['a path', '/v1/pets/%0d%0aX-Evil:%201'],
    ['a query', '/v1/pets?cursor=%0d%0aX-Evil:%201'],
    ['the name of a parameter', '/v1/pets?%0d%0aX-Evil:%201=1'],
    ['an unknown path', '/v1/%0d%0aX-Evil:%201'],
    ['an absolute target', 'http://x%0d%0aX-Evil:%201/v1/pets'],
  ])('by encoded line breaks in %s makes no header', async (_case, target) => {
    const received = await sendBytes(
      gateway.server,
      `GET ${target} HTTP/1.1\r\nHost: x\r\n${authorization}Connection: close\r\n\r\n`,
    );

    expect(received).toMatch(/^HTTP\/1\.1 [24]\d\d /);
    expect(received).not.toMatch(/^X-Evil/im);
  });

  it.each([
    ['a line feed', 'x\nX-Evil: 1'],
    ['a carriage return', 'x\rX-Evil: 1'],
    ['encoded line breaks', 'x%0d%0aX-Evil: 1'],
  ])('by %s in the Host makes no header and no link', async (_case, host) => {
    const received = await sendBytes(
      gateway.server,
      `GET /v1/pets/1 HTTP/1.1\r\nHost: ${host}\r\n${authorization}Connection: close\r\n\r\n`,
    );

    expect(received).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(received).not.toMatch(/^X-Evil/im);
    expect(received).not.toMatch(/Link: .*Evil/i);
  });
});
