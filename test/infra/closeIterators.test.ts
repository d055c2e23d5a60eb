import {
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { ClassicLevel } from 'classic-level';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createTables } from '../../infra/local/createTables.ts';
import { startEmbeddedDatabase } from '../../infra/local/embeddedDatabase.ts';

const TableName = 'iterated-pets';
const database = await startEmbeddedDatabase();
vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', database.endpoint);
await createTables({ pets: TableName, apiKeys: 'iterated-keys', idempotency: 'iterated' });
const client = new DynamoDBClient({ endpoint: database.endpoint });
for (const id of ['1', '2', '3']) {
  const Item = { pk: { S: `PET#${id}` }, statusShard: { S: 'sold#0' }, id: { N: id } };
  await client.send(new PutItemCommand({ TableName, Item }));
}

function query(Limit: number) {
  return new QueryCommand({
    TableName,
    IndexName: 'byStatus',
    KeyConditionExpression: 'statusShard = :statusShard',
    ExpressionAttributeValues: { ':statusShard': { S: 'sold#0' } },
    Limit,
  });
}

afterAll(database.stop);

describe('the embedded database', () => {
  it.each([
    ['a query that stops at its limit', () => client.send(query(2))],
    ['a query that reads to the end', () => client.send(query(9))],
    ['a scan', () => client.send(new ScanCommand({ TableName }))],
  ])('leaves no iterator open after %s', async (_what, read) => {
    const values = vi.spyOn(Object.getPrototypeOf(ClassicLevel.prototype), 'values');

    await read();

    expect(values.mock.results.length).toBeGreaterThan(0);
    for (const { value: iterator } of values.mock.results) {
      await vi.waitFor(() =>
        expect(iterator.next()).rejects.toMatchObject({ code: 'LEVEL_ITERATOR_NOT_OPEN' }),
      );
    }
  });
});
