import {
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { config } from '../lib/config.ts';
import { emptyStore, isEmbedded } from './helpers/database.ts';

const TableName = config.petsTableName;
const client = new DynamoDBClient({ maxAttempts: 1 });

const put = (id: number, more = {}) => {
  const Item = {
    pk: { S: `PET#${id}` },
    statusShard: { S: 'sold#0' },
    id: { N: String(id) },
  };
  return client.send(new PutItemCommand({ TableName, Item, ...more }));
};

beforeEach(emptyStore);

afterAll(() => client.destroy());

describe(isEmbedded ? 'the embedded engine' : 'DynamoDB Local', () => {
  // The service reads the item after a failed condition, because of the embedded engine.
  it(`returns ${isEmbedded ? 'no' : 'the'} item with a failed condition`, async () => {
    await put(1);

    const refused = put(1, {
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });

    await expect(refused).rejects.toMatchObject({
      name: 'ConditionalCheckFailedException',
      Item: isEmbedded ? undefined : { pk: { S: 'PET#1' } },
    });
  });
});

describe('every engine', () => {
  it('returns a last key at the limit of a query, even after the last item', async () => {
    await put(1);
    await put(2);
    const query = (Limit: number) =>
      client.send(
        new QueryCommand({
          TableName,
          IndexName: 'byStatus',
          KeyConditionExpression: 'statusShard = :shard',
          ExpressionAttributeValues: { ':shard': { S: 'sold#0' } },
          Limit,
        }),
      );

    expect((await query(2)).LastEvaluatedKey).toBeDefined();
    expect((await query(3)).LastEvaluatedKey).toBeUndefined();
  });

  it('adds beyond int64 unless a condition prevents it', async () => {
    const add = (step: string) =>
      client.send(
        new UpdateItemCommand({
          TableName,
          Key: { pk: { S: 'COUNTER' } },
          UpdateExpression: 'ADD lastId :step',
          ExpressionAttributeValues: { ':step': { N: step } },
          ReturnValues: 'UPDATED_NEW',
        }),
      );
    await add('9223372036854775807');

    expect((await add('1')).Attributes).toEqual({ lastId: { N: '9223372036854775808' } });
  });
});
