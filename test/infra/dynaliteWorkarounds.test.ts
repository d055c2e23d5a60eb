import { once } from 'node:events';
import { chmod, lstat, readFile, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import {
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { ClassicLevel } from 'classic-level';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createTables } from '../../infra/local/createTables.ts';
import { startEmbeddedDatabase } from '../../infra/local/localDatabase.ts';
import { mapTables } from '../../lib/dynamodb/tables.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';

const level = Object.getPrototypeOf(ClassicLevel.prototype);
const TableName = 'iterated-pets';
const database = await startEmbeddedDatabase();
const { endpoint, accessKeyId } = database;
vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint);
vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyId);
await createTables(mapTables((name) => `iterated-${name}`));
const client = new DynamoDBClient({ credentials: { accessKeyId, secretAccessKey: 'any' } });
// More than one batch.
const ids = Array.from({ length: 70 }, (_, index) => String(index + 1));
for (const id of ids) {
  const Item = { pk: { S: `PET#${id}` }, status: { S: 'sold' }, id: { N: id } };
  await client.send(new PutItemCommand({ TableName, Item }));
}

function query(Limit: number) {
  return new QueryCommand({
    TableName,
    IndexName: 'byStatus',
    KeyConditionExpression: '#status = :status',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': { S: 'sold' } },
    Limit,
  });
}

afterAll(database.stop);

describe('the embedded database', () => {
  it('reserves room for 32 values at once', async () => {
    const values = vi.spyOn(level, 'values');
    await client.send(query(1));
    const nextv = vi.spyOn(Object.getPrototypeOf(values.mock.results[0]?.value), 'nextv');

    await client.send(query(70));

    expect(nextv.mock.calls.length).toBeGreaterThan(1);
    expect(Math.max(...nextv.mock.calls.map(([size]) => Number(size)))).toBe(32);
  });

  it.each([
    ['a query that stops at its limit', () => client.send(query(40))],
    ['a query that reads to the end', () => client.send(query(90))],
    ['a scan', () => client.send(new ScanCommand({ TableName }))],
  ])('leaves no iterator open after %s', async (_what, read) => {
    const values = vi.spyOn(level, 'values');

    await read();

    expect(values.mock.results.length).toBeGreaterThan(0);
    for (const { value: iterator } of values.mock.results) {
      await vi.waitFor(() =>
        expect(iterator.nextv(1)).rejects.toMatchObject({ code: 'LEVEL_ITERATOR_NOT_OPEN' }),
      );
    }
  });

  const listTables = {
    'X-Amz-Target': 'DynamoDB_20120810.ListTables',
    'X-Amz-Date': '20261120T000000Z',
    'Content-Type': 'application/x-amz-json-1.0',
  };
  const authorization = (id: string) =>
    `AWS4-HMAC-SHA256 Credential=${id}/x, SignedHeaders=x, Signature=x`;

  it('lets only its user read its files, also those of an earlier version', async () => {
    const folder = join(await temporaryFolder(), 'data');
    const start = async () => (await startEmbeddedDatabase(folder)).stop;
    const modeOf = async (name: string) => (await lstat(join(folder, name))).mode & 0o777;
    await (await start())();
    expect(await modeOf('.')).toBe(0o700);
    await chmod(join(folder, 'dynamodb'), 0o755);
    await writeFile(join(folder, 'linked'), '');
    await symlink('linked', join(folder, 'engine.json'));

    const stop = await start();

    expect(await modeOf('dynamodb')).toBe(0o700);
    expect(await modeOf('engine.json')).toBe(0o600);
    expect(await readFile(join(folder, 'linked'), 'utf8')).toBe('');
    await stop();
  });

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

  it.each([accessKeyId, 'local'])('survives a request that breaks off', async (id) => {
    const { port } = new URL(endpoint);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization(id)}\r\nContent-Length: 9\r\n\r\n{`,
    );
    await once(socket, 'connect');
    socket.resetAndDestroy();

    const { Items = [] } = await client.send(query(90));
    expect(Items.map(({ id }) => id?.N)).toEqual(ids);
  });
});
