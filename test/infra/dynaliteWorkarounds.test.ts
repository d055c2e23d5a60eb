import {
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { ClassicLevel } from 'classic-level';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createTable } from '../../infra/local/createTables.ts';
import { startEmbeddedDatabase } from '../../infra/local/localDatabase.ts';
import { tables } from '../../lib/tables.ts';

const level = Object.getPrototypeOf(ClassicLevel.prototype);
const TableName = 'iterated-pets';
const [[IndexName = '', { partitionKey }] = expect.fail()] = Object.entries(tables.pets.indexes);
const { endpoint, accessKeyId, stop } = await startEmbeddedDatabase();
const credentials = { accessKeyId, secretAccessKey: 'any' };
const client = new DynamoDBClient({ endpoint, credentials });
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

afterAll(stop);

describe('the embedded database', () => {
  it.each([
    ['a query that stops at its limit', () => client.send(query(40))],
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
});
