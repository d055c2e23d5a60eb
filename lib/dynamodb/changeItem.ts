import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { serviceUnavailable } from '../errors.ts';
import { type TableDefinition, type TableName, tables } from '../tables.ts';
import { type Item, toItem } from './attributes.ts';
import { dynamoDb, type RequestContext } from './client.ts';

/**
 * Changes an item once. It reads the item, lets `change` decide, and writes the result if no other request
 * has changed the item since the read.
 *
 * Each write stores a new random `revision`, under the condition that the stored revision is the one that
 * was read. So an attempt that arrives late never undoes a later change. If the response of an attempt is
 * lost, the next attempt finds its own revision.
 *
 * `change` returns the new item, or the item itself if nothing is to change. It throws an `ApiError` to
 * refuse the request. It runs again if another request has changed the item. Returns the stored item, or
 * `undefined` if there is none. Throws `service_unavailable` if it is unknown whether the item was changed.
 *
 * No operation of this interface changes an item. CONTRIBUTING.md says what the first one needs.
 */
export async function changeItem(
  table: TableName,
  key: string,
  change: (item: Item) => Item,
  { abortSignal }: RequestContext,
): Promise<Item | undefined> {
  const { partitionKey }: TableDefinition = tables[table];
  const TableName = config().tableNames[table];
  const Key = { [partitionKey.name]: { S: key } };
  const revision = crypto.randomUUID();
  for (;;) {
    const read = new GetItemCommand({ TableName, Key, ConsistentRead: true });
    const { Item: stored } = await dynamoDb().send(read, { abortSignal });
    const decided = stored && change(stored);
    if (!decided || decided === stored) return stored;

    const changed = { ...decided, ...toItem({ revision }) };
    const readRevision = stored.revision?.S;
    const write = new PutItemCommand({
      TableName,
      Item: changed,
      ...(readRevision === undefined
        ? {
            // Nothing has changed the item since its creation.
            ConditionExpression: `attribute_exists(${partitionKey.name}) AND attribute_not_exists(revision)`,
          }
        : {
            ConditionExpression: 'revision = :readRevision',
            ExpressionAttributeValues: toItem({ ':readRevision': readRevision }),
          }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      await dynamoDb().send(write, { abortSignal });
      return changed;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // An earlier attempt has stored the change.
      if (error.Item?.revision?.S === revision) return changed;
      // An earlier attempt may have stored the change, and another request may have changed the item since.
      if (error.$metadata.attempts !== 1) {
        throw serviceUnavailable('The change may have happened: read the resource.', error);
      }
    }
  }
}
