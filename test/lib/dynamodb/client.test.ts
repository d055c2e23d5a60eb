import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { dynamoDb } from '../../../lib/dynamodb/client.ts';

it('all calls share one client, because a new one would open connections of its own', () => {
  expect(dynamoDb()).toBe(dynamoDb());
});

it('the client has every middleware of the SDK except loggerMiddleware', () => {
  const own = dynamoDb().middlewareStack.identify();
  const all = new DynamoDBClient().middlewareStack.identify();

  // If the SDK renamed this middleware, its removal would do nothing and report nothing.
  expect(all.filter((each) => !own.includes(each))).toEqual([
    expect.stringMatching(/^loggerMiddleware\b/),
  ]);
});

it('the client reports a value that it cannot store as a bug, not as a failure of the database', async () => {
  const put = new PutCommand({ TableName: 'none', Item: { pk: 'PET#1', addedAt: new Date() } });

  await expect(dynamoDb().send(put)).rejects.toThrow('Unsupported type passed');
});
