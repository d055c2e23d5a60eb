import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { bareClient } from './bareClient.ts';

const mostIdsBack = 100;

/** Sets the id counter back, as a restore to an earlier point does, and returns by how many ids. */
export async function setCounterBack(endpoint: string, TableName: string): Promise<number> {
  const client = bareClient(endpoint);
  const Key = { pk: { S: 'COUNTER' } };
  const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  const lastId = Number(Item?.lastId?.N ?? 0);
  const idsBack = Math.min(lastId, mostIdsBack);
  const counter = { ...Key, lastId: { N: String(lastId - idsBack) } };
  await client.send(new PutItemCommand({ TableName, Item: counter }));
  client.destroy();
  return idsBack;
}
