import '../helpers/database.ts';
import {
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { config } from '../../lib/config.ts';
import { idempotencyTable, petsTable } from '../../lib/dynamodb/tables.ts';
import { DynamoDbModel, type Item } from './DynamoDbModel.ts';
import { type HttpRequest, readCall, toHttp } from './wire.ts';

const pets = config.petsTableName;
const records = config.idempotencyTableName;

const engine = new DynamoDBClient({ maxAttempts: 1 });

afterAll(() => engine.destroy());

function clientOf(model: DynamoDbModel): DynamoDBClient {
  const handle = async (request: HttpRequest) => {
    const { action, input } = readCall(request);
    return { response: toHttp(model.execute(action, input)) };
  };
  return new DynamoDBClient({ maxAttempts: 1, requestHandler: { handle } as never });
}

/** One call as the service sends it. The prefix gives each run keys of its own. */
type Operation = (client: DynamoDBClient, prefix: string) => Promise<unknown>;

const number = (value: number) => ({ N: String(value) });
const id = fc.integer({ min: 1, max: 12 });
const shard = fc.constantFrom('sold#0', 'sold#1');

const putPet = fc.record({ id, shard, isConditional: fc.boolean() }).map(
  ({ id, shard, isConditional }): Operation =>
    (client, prefix) => {
      const Item = {
        pk: { S: `${prefix}PET#${id}` },
        statusShard: { S: `${prefix}${shard}` },
        id: number(id),
      };
      const ConditionExpression = isConditional ? 'attribute_not_exists(pk)' : undefined;
      return client.send(new PutItemCommand({ TableName: pets, Item, ConditionExpression }));
    },
);

const getPet = id.map(
  (id): Operation =>
    (client, prefix) => {
      const Key = { pk: { S: `${prefix}PET#${id}` } };
      return client.send(new GetItemCommand({ TableName: pets, Key, ConsistentRead: true }));
    },
);

const damageCounter = fc.constant<Operation>((client, prefix) => {
  const Item = { pk: { S: `${prefix}COUNTER` }, lastId: { S: 'seven' } };
  return client.send(new PutItemCommand({ TableName: pets, Item }));
});

const advanceCounter = fc
  .record({ count: id, max: fc.constantFrom(5, 50), isConditional: fc.boolean() })
  .map(
    ({ count, max, isConditional }): Operation =>
      (client, prefix) =>
        client.send(
          new UpdateItemCommand({
            TableName: pets,
            Key: { pk: { S: `${prefix}COUNTER` } },
            UpdateExpression: 'ADD lastId :count',
            ExpressionAttributeValues: {
              ':count': number(count),
              ...(isConditional && { ':min': number(0), ':max': number(max) }),
            },
            ...(isConditional && {
              ConditionExpression: 'attribute_not_exists(lastId) OR lastId BETWEEN :min AND :max',
            }),
            ReturnValues: 'UPDATED_NEW',
          }),
        ),
  );

const putRecord = fc.record({ petId: id, expiresAt: id, now: id }).map(
  ({ petId, expiresAt, now }): Operation =>
    (client, prefix) =>
      client.send(
        new PutItemCommand({
          TableName: records,
          Item: {
            scopedKey: { S: `${prefix}key` },
            petId: number(petId),
            token: { S: `token-${petId}` },
            expiresAtEpochSeconds: number(expiresAt),
          },
          ConditionExpression: 'attribute_not_exists(scopedKey) OR expiresAtEpochSeconds <= :now',
          ExpressionAttributeValues: { ':now': number(now) },
        }),
      ),
);

const changeId = fc.record({ takenId: id, petId: id }).map(
  ({ takenId, petId }): Operation =>
    async (client, prefix) => {
      const Key = { scopedKey: { S: `${prefix}key` } };
      const update = new UpdateItemCommand({
        TableName: records,
        Key,
        UpdateExpression: 'SET petId = :petId, expiresAtEpochSeconds = :expiresAt',
        ConditionExpression: 'petId = :takenId AND #token = :token',
        ExpressionAttributeNames: { '#token': 'token' },
        ExpressionAttributeValues: {
          ':petId': number(petId),
          ':expiresAt': number(100),
          ':takenId': number(takenId),
          ':token': { S: `token-${takenId}` },
        },
      });
      const outcome = await client.send(update).then(
        () => 'changed',
        ({ name }: Error) => name,
      );
      const read = await client.send(
        new GetItemCommand({ TableName: records, Key, ConsistentRead: true }),
      );
      return { outcome, Item: read.Item };
    },
);

/** All pages of a query, each from the last key of the one before. */
const query = fc
  .record({
    shard,
    afterId: fc.integer({ min: 0, max: 12 }),
    limit: fc.integer({ min: 1, max: 4 }),
  })
  .map(
    ({ shard, afterId, limit }): Operation =>
      async (client, prefix) => {
        const found: unknown[] = [];
        let startKey: Item | undefined;
        do {
          const { Items, Count, LastEvaluatedKey } = await client.send(
            new QueryCommand({
              TableName: pets,
              IndexName: 'byStatus',
              KeyConditionExpression: 'statusShard = :shard AND id > :afterId',
              ExpressionAttributeValues: {
                ':shard': { S: `${prefix}${shard}` },
                ':afterId': number(afterId),
              },
              Limit: limit,
              ExclusiveStartKey: startKey,
            }),
          );
          found.push({ Items, Count, LastEvaluatedKey });
          startKey = LastEvaluatedKey;
        } while (startKey);
        return found;
      },
  );

/** The response without what is about the connection, or the name of the error. */
async function resultOf(response: Promise<unknown>): Promise<unknown> {
  try {
    const { $metadata, ...result } = (await response) as { $metadata?: unknown };
    return result;
  } catch (error) {
    return (error as Error).name;
  }
}

it('returns what the engine returns, for any sequence of calls', async () => {
  let runs = 0;
  const operations = fc.array(
    fc.oneof(putPet, putPet, getPet, advanceCounter, damageCounter, putRecord, changeId, query),
    { minLength: 5, maxLength: 20 },
  );

  await fc.assert(
    fc.asyncProperty(operations, async (sequence) => {
      const prefix = `run-${++runs}-`;
      const model = clientOf(new DynamoDbModel({ [pets]: petsTable, [records]: idempotencyTable }));
      for (const operation of sequence) {
        const expected = await resultOf(operation(engine, prefix));
        expect(await resultOf(operation(model, prefix))).toEqual(expected);
      }
    }),
    { numRuns: 40 },
  );
});
