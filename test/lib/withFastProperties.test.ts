import { setFlagsFromString } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { handler as listPets } from '../../functions/listPets.ts';
import { dynamoDb, dynamoDbClient } from '../../lib/dynamoDb.ts';
import { withFastProperties } from '../../lib/withFastProperties.ts';
import { call } from '../helpers/api.ts';

// V8 tells it to code that knows its own functions.
setFlagsFromString('--allow-natives-syntax');
const hasFastProperties = new Function('object', 'return %HasFastProperties(object)');

function hashTable(): Record<string, number> {
  const table: Record<string, number> = {};
  for (let member = 0; member < 50; member += 1) table[`member${member}`] = member;
  return table;
}

describe('withFastProperties', () => {
  it('makes V8 keep an object as it keeps a literal, with all its members', () => {
    const table = hashTable();
    expect(hasFastProperties(table)).toBe(false);

    const returned = withFastProperties(table);

    expect(hasFastProperties(table)).toBe(true);
    expect(returned).toBe(table);
    expect(table).toEqual(hashTable());
  });

  it('lasts for what the clients are configured with', async () => {
    expect((await call(listPets)).status).toBe(200);

    expect(hasFastProperties(dynamoDbClient.config)).toBe(true);
    expect(hasFastProperties(dynamoDb.config)).toBe(true);
  });
});
