import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type * as z from 'zod/mini';
import { isInt64Text } from '../int64.ts';

/** An item as DynamoDB sends it. A number is a text of digits, so nothing is rounded. */
export type Item = Record<string, AttributeValue>;

/** The value of a member of a stored object. `bigint` is an int64, `number` any other number. */
type Value = string | bigint | number | boolean | readonly string[];

/** Converts the members of an object to an item. A member that is `undefined` becomes no attribute. */
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

/**
 * Returns the JSON text of an attribute with every digit. The result is `undefined` if the attribute is
 * missing or has another type, and empty if it is missing and optional.
 */
type AttributeWriter = (value: AttributeValue | undefined) => string | undefined;

/**
 * Returns the function that writes an item as JSON text, with the fields of a schema. The first field must
 * be required.
 *
 * The function throws an error that names a missing or damaged field. It does not check length or range.
 * It writes text, because `JSON.stringify` with raw integers would take twice as long.
 */
export function itemWriter(schema: z.ZodMiniObject): (item: Item) => string {
  const fields = Object.entries(schema.shape).map(([name, field], index) => ({
    name,
    prefix: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    write: attributeWriter(field),
  }));
  return function writeItem(item) {
    let json = '';
    for (const { name, prefix, write } of fields) {
      const text = write(item[name]);
      if (text === undefined) throw new Error(`${item.pk?.S} has no valid ${name}.`);
      if (text !== '') json += prefix + text;
    }
    return `${json}}`;
  };
}

/** Chooses the writer of a field by the type of its schema. Throws for other types than these. */
export function attributeWriter(schema: z.core.$ZodType): AttributeWriter {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional': {
      const write = attributeWriter(def.innerType);
      return (value) => (value === undefined ? '' : write(value));
    }
    case 'pipe':
      return attributeWriter(def.out);
    case 'string':
      return writeText;
    case 'enum':
      return enumWriter(Object.values(def.entries).map(String));
    case 'bigint':
      return (value) => (isInt64Text(value?.N) ? value.N : undefined);
    case 'number':
      return (value) =>
        value?.N !== undefined && Number.isFinite(Number(value.N)) ? value.N : undefined;
    case 'boolean':
      return (value) => value?.BOOL?.toString();
    case 'array':
      return listWriter(attributeWriter(def.element));
    default:
      throw new Error(`attributes.ts cannot write a field of the type ${def.type}.`);
  }
}

function writeText(value: AttributeValue | undefined): string | undefined {
  return value?.S === undefined ? undefined : JSON.stringify(value.S);
}

function enumWriter(texts: string[]): AttributeWriter {
  const jsonByText = new Map(texts.map((text) => [text, JSON.stringify(text)]));
  return (value) => jsonByText.get(value?.S ?? '');
}

function listWriter(write: AttributeWriter): AttributeWriter {
  return (value) => {
    const texts = value?.L?.map(write);
    return texts?.every((text) => text !== undefined) ? `[${texts}]` : undefined;
  };
}
