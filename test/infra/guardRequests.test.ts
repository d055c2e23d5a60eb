import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmbeddedDatabase } from '../../infra/local/localDatabase.ts';

const { endpoint, accessKeyId, stop } = await startEmbeddedDatabase();

afterAll(stop);

describe('the embedded database', () => {
  const listTables = {
    'X-Amz-Target': 'DynamoDB_20120810.ListTables',
    'X-Amz-Date': '20261120T000000Z',
    'Content-Type': 'application/x-amz-json-1.0',
  };
  const authorization = (id: string) =>
    `AWS4-HMAC-SHA256 Credential=${id}/x, SignedHeaders=x, Signature=x`;

  it.each([
    ['its access key', { Authorization: authorization(accessKeyId) }, 200],
    ['no access key', {}, 403],
    ['another access key', { Authorization: authorization('local') }, 403],
    [
      'its access key, of a web page',
      { Authorization: authorization(accessKeyId), Origin: 'null' },
      403,
    ],
  ])('responds to a request with %s', async (_what, headers, status) => {
    const sent = { method: 'POST', headers: { ...listTables, ...headers }, body: '{}' };

    const response = await fetch(endpoint, sent);

    expect(response.status).toBe(status);
    expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false);
  });

  it('survives a request that breaks off', async () => {
    const { port } = new URL(endpoint);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization(accessKeyId)}\r\nContent-Length: 9\r\n\r\n{`,
    );
    await once(socket, 'connect');
    socket.resetAndDestroy();

    const headers = { ...listTables, Authorization: authorization(accessKeyId) };
    const response = await fetch(endpoint, { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(200);
  });
});
