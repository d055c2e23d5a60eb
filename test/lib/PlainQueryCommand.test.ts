import { describe, expect, it } from 'vitest';
import '../helpers/stageTables.ts';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { config } from '../../lib/config.ts';
import { dynamoDbClient } from '../../lib/dynamoDb.ts';
import { PlainQueryCommand } from '../../lib/PlainQueryCommand.ts';

const item = {
  pk: { S: 'PET#1' },
  statusShard: { S: 'sold#0' },
  id: { N: '9007199254740993' },
  photo: { B: new Uint8Array([1, 2, 3]) },
};

function query(statusShard: string, indexName = 'byStatus'): PlainQueryCommand {
  return new PlainQueryCommand({
    TableName: config.petsTableName,
    IndexName: indexName,
    KeyConditionExpression: 'statusShard = :statusShard',
    ExpressionAttributeValues: { ':statusShard': { S: statusShard } },
  });
}

describe('PlainQueryCommand', () => {
  it('answers what DynamoDB wrote, bytes in base64 as well', async () => {
    await dynamoDbClient.send(new PutItemCommand({ TableName: config.petsTableName, Item: item }));

    const { Items, Count, $metadata } = await dynamoDbClient.send(query('sold#0'));

    expect(Items).toEqual([{ ...item, photo: { B: 'AQID' } }]);
    expect(Count).toBe(1);
    expect($metadata.httpStatusCode).toBe(200);
  });

  it('answers an empty list where nothing is', async () => {
    expect(await dynamoDbClient.send(query('pending#0'))).toMatchObject({ Items: [], Count: 0 });
  });

  it('fails with the error of DynamoDB where there is no such index', async () => {
    await expect(dynamoDbClient.send(query('sold#0', 'byNothing'))).rejects.toMatchObject({
      name: expect.stringMatching(/^(ValidationException|ResourceNotFoundException)$/),
    });
  });
});
