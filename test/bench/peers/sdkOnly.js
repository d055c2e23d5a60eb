import {
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { dynamoDbClient } from '../../../lib/dynamodb/client.ts';
import { serviceThrough } from './bareService.js';

const commands = {
  GetItem: GetItemCommand,
  PutItem: PutItemCommand,
  Query: QueryCommand,
  UpdateItem: UpdateItemCommand,
};

const call = (action, input) => dynamoDbClient.send(new commands[action](input));

export const handler = serviceThrough(call);

/** The reads of the service during the init phase. */
export async function warmUp(connections) {
  const read = { TableName: process.env.API_KEYS_TABLE, Key: { digest: { S: 'none' } } };
  await Promise.all(Array.from({ length: connections }, () => call('GetItem', read)));
}
