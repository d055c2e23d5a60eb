import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A pets table: the live one of a stage, or one that was restored from it. */
export type Table = {
  client: DynamoDBClient;
  tableName: string;
  /** How fast it may be read, so that the service beside finds something left of the ceiling. */
  readUnitsPerSecond: number;
};

/** As it comes over the wire: a number is its digits. */
export type Item = Record<string, AttributeValue>;

export const counterKey = { pk: { S: 'COUNTER' } } as const;

export function keyOf({ pk }: Item): string {
  return pk?.S ?? '';
}

/** The id in the key of a pet; none for whatever else may lie in the table. */
export function idOf(key: string): bigint | undefined {
  const digits = /^PET#([1-9]\d*)$/.exec(key)?.[1];
  return digits === undefined ? undefined : BigInt(digits);
}

/** The last id that the counter gave out; none where the item is damaged or there is none. */
export function lastIdOf(counter: Item | undefined): bigint | undefined {
  const digits = counter?.lastId?.N ?? '';
  return /^\d+$/.test(digits) ? BigInt(digits) : undefined;
}

/** The highest id that an item speaks of: its own, or that of the counter. */
export function highestIdOf(item: Item): bigint {
  const key = keyOf(item);
  return (key === counterKey.pk.S ? lastIdOf(item) : idOf(key)) ?? 0n;
}
