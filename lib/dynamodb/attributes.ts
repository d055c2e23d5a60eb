import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isInt64Text } from '../int64.ts';

/** An item as DynamoDB sends it. A number is its digits, so none is rounded. */
export type Item = Record<string, AttributeValue>;

/** What a member of a stored object may be. `bigint` is an int64, `number` any other number. */
type Value = string | bigint | number | boolean | readonly string[];

/** Converts the members of an object to an item. It has no attribute for `undefined`. */
export function toItem(members: Record<string, Value | undefined>): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) item[name] = toAttribute(value);
  }
  return item;
}

function toAttribute(value: Value): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'object') return { L: value.map(toAttribute) };
  return { N: String(value) };
}

/** Converts an item back, for a schema: an int64 becomes a `bigint`. Maps and sets stay as they are. */
export function fromItem(item: Item): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, fromAttribute(value)]),
  );
}

function fromAttribute(value: AttributeValue): unknown {
  if (value.N !== undefined) return isInt64Text(value.N) ? BigInt(value.N) : Number(value.N);
  return value.S ?? value.BOOL ?? value.L?.map(fromAttribute) ?? value;
}

// The JSON text of an attribute, digit for digit. `undefined` if it is missing or damaged. A raw value
// for each integer and `JSON.stringify` of the whole take twice as long.

type JsonOf = (value: AttributeValue | undefined) => string | undefined;

export const textJson: JsonOf = (value) =>
  value?.S === undefined ? undefined : JSON.stringify(value.S);

export const int64Json: JsonOf = (value) => (isInt64Text(value?.N) ? value.N : undefined);

/** Ids are positive. */
export const idJson: JsonOf = (value) => {
  const digits = int64Json(value);
  return digits && digits > '0' ? digits : undefined;
};

export const numberJson: JsonOf = (value) =>
  value?.N !== undefined && Number.isFinite(Number(value.N)) ? value.N : undefined;

export const booleanJson: JsonOf = (value) => value?.BOOL?.toString();

export const textsJson: JsonOf = (value) => {
  const texts = value?.L?.map(textJson);
  return texts?.every((text) => text !== undefined) ? `[${texts}]` : undefined;
};

/** Only these texts are not damaged. */
export function enumJson(texts: readonly string[]): JsonOf {
  const jsonByText = new Map(texts.map((text) => [text, JSON.stringify(text)]));
  return (value) => jsonByText.get(value?.S ?? '');
}
