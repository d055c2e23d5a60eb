import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { dynamoDb, fromItem, toItem } from '../../../lib/dynamodb/client.ts';

it('has every middleware of the SDK except loggerMiddleware', () => {
  const own = dynamoDb().middlewareStack.identify();
  const all = new DynamoDBClient().middlewareStack.identify();

  // The SDK does not report the removal of a middleware that it has renamed.
  expect(all.filter((each) => !own.includes(each))).toEqual([
    expect.stringMatching(/^loggerMiddleware\b/),
  ]);
});

describe('toItem', () => {
  it('writes what fromItem reads, and nothing for undefined', () => {
    const members = { pk: 'PET#1', name: '7', lowest: -(2n ** 63n) };

    const item = toItem({ ...members, color: undefined });

    expect(item).toEqual({
      pk: { S: 'PET#1' },
      name: { S: '7' },
      lowest: { N: '-9223372036854775808' },
    });
    expect(Object.keys(item)).not.toContain('color');
    expect(fromItem(item)).toEqual(members);
  });
});
