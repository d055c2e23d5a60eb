import { setTimeout as pause } from 'node:timers/promises';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import type { Item, Table } from './Table.ts';

/**
 * Reads all items of a table, page after page, no faster than the table may be read.
 *
 * Eventually consistently, at half the price: what is compared is older than the second or so that
 * such a read may lag behind.
 */
export async function* scanTable({
  client,
  tableName,
  readUnitsPerSecond,
}: Table): AsyncGenerator<Item[], void> {
  let startKey: Item | undefined;
  do {
    const startedAtMs = performance.now();
    const { Items, LastEvaluatedKey, ConsumedCapacity } = await client.send(
      new ScanCommand({
        TableName: tableName,
        ExclusiveStartKey: startKey,
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    yield Items ?? [];
    startKey = LastEvaluatedKey;
    const dueMs = ((ConsumedCapacity?.CapacityUnits ?? 0) / readUnitsPerSecond) * 1000;
    await pause(Math.max(0, dueMs - (performance.now() - startedAtMs)));
  } while (startKey);
}
