import {
  DescribeTableCommand,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { config } from '../lib/config.ts';
import { emptyStore, isEmbedded } from './helpers/database.ts';

const TableName = config.petsTableName;
const client = new DynamoDBClient({ maxAttempts: 1 });

/** Returns the result, or the name of the error. */
const attempt = <T>(result: Promise<T>): Promise<T | string> =>
  result.catch(({ name }: Error) => name);

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

// The differences that test/engines.md lists.
describe(`${isEmbedded ? 'the embedded engine' : 'DynamoDB Local'}, where engines differ`, () => {
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

  it(`supports ${isEmbedded ? 'neither ' : ''}transactions ${isEmbedded ? 'nor' : 'and'} a time to live`, async () => {
    const results = [
      await attempt(
        client.send(
          new TransactWriteItemsCommand({
            TransactItems: [{ Put: { TableName, Item: { pk: { S: 'PET#1' } } } }],
          }),
        ),
      ),
      await attempt(
        client.send(
          new UpdateTimeToLiveCommand({
            TableName,
            TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
          }),
        ),
      ),
    ];

    expect(results).toMatchObject(
      isEmbedded
        ? ['UnknownOperationException', 'UnknownOperationException']
        : [{}, { TimeToLiveSpecification: { Enabled: true } }],
    );
  });

  it(`counts ${isEmbedded ? 'no ' : ''}capacity for an index`, async () => {
    const { ConsumedCapacity } = await put(1, { ReturnConsumedCapacity: 'INDEXES' });

    expect(ConsumedCapacity).toMatchObject({ CapacityUnits: isEmbedded ? 1 : 2 });
  });

  it(`${isEmbedded ? 'accepts' : 'refuses'} an empty text as the key of an index`, async () => {
    const result = await attempt(
      client.send(
        new PutItemCommand({
          TableName,
          Item: { pk: { S: 'PET#1' }, statusShard: { S: '' }, id: { N: '1' } },
        }),
      ),
    );

    expect(result === 'ValidationException').toBe(!isEmbedded);
  });

  it(`has ${isEmbedded ? 'one database for every' : 'a database for each'} access key and Region`, async () => {
    const stranger = new DynamoDBClient({
      region: 'eu-west-1',
      credentials: { accessKeyId: 'AKIASTRANGER', secretAccessKey: 'x' },
    });

    const result = await attempt(stranger.send(new DescribeTableCommand({ TableName })));

    expect(result === 'ResourceNotFoundException').toBe(!isEmbedded);
    stranger.destroy();
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
