import { PutItemCommand, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';

/** Returns a handler that makes the DynamoDB calls of the service, and nothing else. */
export function callsThrough(client) {
  return async ({ httpMethod }) => {
    if (httpMethod === 'POST') {
      await client.send(
        new UpdateItemCommand({
          TableName: 'pets',
          Key: { pk: { S: 'COUNTER' } },
          UpdateExpression: 'ADD lastId :count',
          ConditionExpression: 'attribute_not_exists(lastId) OR lastId BETWEEN :none AND :most',
          ExpressionAttributeValues: {
            ':count': { N: '1' },
            ':none': { N: '0' },
            ':most': { N: '9223372036854775806' },
          },
          ReturnValues: 'UPDATED_NEW',
        }),
      );
      await client.send(
        new PutItemCommand({
          TableName: 'pets',
          Item: {
            pk: { S: 'PET#1000' },
            statusShard: { S: 'pending#0' },
            token: { S: '8e03978e-40d5-43dd-bc93-6894a57f9324' },
            id: { N: '1000' },
            name: { S: 'Zoë von Fluff' },
            categoryId: { N: '9007199254740993' },
            status: { S: 'pending' },
          },
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      );
    } else {
      await client.send(
        new QueryCommand({
          TableName: 'pets',
          IndexName: 'byStatus',
          KeyConditionExpression: 'statusShard = :statusShard AND id > :afterId',
          ExpressionAttributeValues: {
            ':statusShard': { S: 'available#0' },
            ':afterId': { N: '0' },
          },
          Limit: 100,
        }),
      );
    }
    return { statusCode: 200, headers: {}, body: '{}' };
  };
}
