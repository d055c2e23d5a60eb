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
import { emptyStore } from './helpers/database.ts';
import { isEmbedded } from './helpers/engine.ts';

const TableName = config.petsTableName;
const client = new DynamoDBClient({ maxAttempts: 1 });

/** The result, or the name of the error. */
const attempt = <T>(answer: Promise<T>): Promise<T | string> =>
  answer.catch(({ name }: Error) => name);

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

// The table of test/engines.md.
describe(`${isEmbedded ? 'the embedded engine' : 'DynamoDB Local'}, where the engines differ`, () => {
  it(`returns ${isEmbedded ? 'no' : 'the'} item with a condition that failed`, async () => {
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

  it(`knows ${isEmbedded ? 'neither ' : ''}transactions ${isEmbedded ? 'nor' : 'and'} a time to live`, async () => {
    const answers = [
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

    expect(answers).toMatchObject(
      isEmbedded
        ? ['UnknownOperationException', 'UnknownOperationException']
        : [{}, { TimeToLiveSpecification: { Enabled: true } }],
    );
  });

  it(`counts ${isEmbedded ? 'no ' : ''}capacity for an index`, async () => {
    const { ConsumedCapacity } = await put(1, { ReturnConsumedCapacity: 'INDEXES' });

    expect(ConsumedCapacity).toMatchObject({ CapacityUnits: isEmbedded ? 1 : 2 });
  });

  it(`${isEmbedded ? 'takes' : 'refuses'} an empty text for the key of an index`, async () => {
    const answer = await attempt(
      client.send(
        new PutItemCommand({
          TableName,
          Item: { pk: { S: 'PET#1' }, statusShard: { S: '' }, id: { N: '1' } },
        }),
      ),
    );

    expect(answer === 'ValidationException').toBe(!isEmbedded);
  });

  it(`has ${isEmbedded ? 'one database for all' : 'a database for each'} access key and Region`, async () => {
    const stranger = new DynamoDBClient({
      region: 'eu-west-1',
      credentials: { accessKeyId: 'AKIASTRANGER', secretAccessKey: 'x' },
    });

    const answer = await attempt(stranger.send(new DescribeTableCommand({ TableName })));

    expect(answer === 'ResourceNotFoundException').toBe(!isEmbedded);
    stranger.destroy();
  });
});

describe('every engine', () => {
  it('names a last key at the limit of a query, even of the last item', async () => {
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

  it('adds beyond int64 unless a condition forbids it', async () => {
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
