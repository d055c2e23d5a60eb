import { once } from 'node:events';
import { connect } from 'node:net';
import {
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { ClassicLevel } from 'classic-level';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { tables } from '../../lib/tables.ts';
import { createTable } from '../../local/createTables.ts';
import { startEmbeddedDatabase } from '../../local/localDatabase.ts';

const level = Object.getPrototypeOf(ClassicLevel.prototype);
const TableName = 'iterated-pets';
const [[IndexName = '', { partitionKey }] = expect.fail()] = Object.entries(tables.pets.indexes);
const { endpoint, accessKeyId, stop } = await startEmbeddedDatabase();
afterAll(stop);
const credentials = { accessKeyId, secretAccessKey: 'any' };
const client = new DynamoDBClient({ endpoint, region: 'local', credentials });
await createTable(client, TableName, tables.pets);
const ids = Array.from({ length: 70 }, (_, index) => String(index + 1));
for (const id of ids) {
  const Item = { pk: { S: `PET#${id}` }, [partitionKey.name]: { S: 'a partition' }, id: { N: id } };
  await client.send(new PutItemCommand({ TableName, Item }));
}

function query(Limit: number) {
  return new QueryCommand({
    TableName,
    IndexName,
    KeyConditionExpression: '#partition = :partition',
    ExpressionAttributeNames: { '#partition': partitionKey.name },
    ExpressionAttributeValues: { ':partition': { S: 'a partition' } },
    Limit,
  });
}

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

  it('listens on an address of loopback only', async () => {
    // An address of this machine too, on Linux.
    const other = fetch(endpoint.replace('127.0.0.1', '127.0.0.2'));

    await expect(other).rejects.toThrow('fetch failed');
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

  it.each([
    ['a query that stops at its limit', () => client.send(query(40))],
    ['a scan', () => client.send(new ScanCommand({ TableName }))],
  ])('leaves no iterator open after %s', async (_what, read) => {
    const values = vi.spyOn(level, 'values');

    await read();

    expect(values.mock.results.length).toBeGreaterThan(0);
    for (const { value: iterator } of values.mock.results) {
      const errorCode = () => iterator.nextv(1).catch(({ code }: { code: string }) => code);
      await expect.poll(errorCode).toBe('LEVEL_ITERATOR_NOT_OPEN');
    }
  });
});
