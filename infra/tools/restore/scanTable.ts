import { setTimeout as pause } from 'node:timers/promises';
import { type AttributeValue, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';

/** A pets table: the live table of a stage, or one that was restored from it. */
export type Table = {
  client: DynamoDBClient;
  tableName: string;
  /** Leaves the rest of the table's read ceiling to the running service. */
  readUnitsPerSecond: number;
};

/** An item as DynamoDB sends it. Numbers are digits, so none is rounded. */
export type Item = Record<string, AttributeValue>;

export const counterKey = { pk: { S: 'COUNTER' } } as const;

/**
 * Reads the counter and all pets, page by page, at the speed that the table allows.
 *
 * The reads are eventually consistent, at half the price. They lag by about a second, and the data
 * that is compared is older than that.
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
    const pageMs = ((ConsumedCapacity?.CapacityUnits ?? 0) / readUnitsPerSecond) * 1000;
    await pause(Math.max(0, pageMs - (performance.now() - startedAtMs)));
  } while (startKey);
}

/** Scans a table for the highest id of a pet or of the counter. Returns 0 if it has none. */
export async function findHighestId(table: Table): Promise<bigint> {
  let highestId = 0n;
  for await (const items of scanTable(table)) {
    for (const id of items.map(idOf)) if (id > highestId) highestId = id;
  }
  return highestId;
}

/** Returns the key of an item: `PET#<id>` or `COUNTER`. */
export function keyOf({ pk }: Item): string {
  return pk?.S ?? '';
}

/** Returns the id in the key of a pet, or undefined for any other key. */
export function petIdOf(key: string): bigint | undefined {
  const digits = /^PET#([1-9]\d*)$/.exec(key)?.[1];
  return digits === undefined ? undefined : BigInt(digits);
}

/** Returns the last id that the counter gave out, or undefined if the counter is missing or damaged. */
export function lastIdOf(counter: Item | undefined): bigint | undefined {
  const digits = counter?.lastId?.N ?? '';
  return /^\d+$/.test(digits) ? BigInt(digits) : undefined;
}

/** Returns the id of a pet or the last id of the counter. Returns 0 for any other item. */
export function idOf(item: Item): bigint {
  const key = keyOf(item);
  return (key === counterKey.pk.S ? lastIdOf(item) : petIdOf(key)) ?? 0n;
}
