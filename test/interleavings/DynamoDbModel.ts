import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue, PutItemInput, UpdateItemInput } from '@aws-sdk/client-dynamodb';
import type { TableDefinition } from '../../lib/tables.ts';

/** An item on the wire. */
export type Item = Record<string, AttributeValue>;

/** The request of any call, as the JSON on the wire has it. */
export type Input = { TableName: string; ConsistentRead?: boolean } & Partial<
  PutItemInput & UpdateItemInput
>;

export type Reply = { status: number; body: object };

/** A call that took effect, and the item that was stored before it. */
export type Call = { action: string; input: Input; stored: Item | undefined; reply: Reply };

type Table = {
  keyName: string;
  items: Map<string, Item>;
  /** The items before their last write, which the next eventually consistent read returns. */
  previous: Map<string, Item | undefined>;
};

/** The calls of DynamoDB that the service makes: one step for each request, in memory. */
export class DynamoDbModel {
  /** All calls so far, by the order of their effects. */
  readonly calls: Call[] = [];
  readonly #tables: Map<string, Table>;

  constructor(definitions: Record<string, TableDefinition>) {
    this.#tables = new Map(
      Object.entries(definitions).map(([name, { partitionKey }]) => [
        name,
        { keyName: partitionKey.name, items: new Map(), previous: new Map() },
      ]),
    );
  }

  items(tableName: string): Item[] {
    return [...this.#table(tableName).items.values()];
  }

  put(TableName: string, Item: Item): void {
    this.execute('PutItem', { TableName, Item });
  }

  execute(action: string, input: Input): Reply {
    const table = this.#table(input.TableName);
    const key = (input.Item ?? input.Key)?.[table.keyName]?.S ?? '';
    const stored = table.items.get(key);
    const reply = isMet(input, stored)
      ? { status: 200, body: effectOf(action, input, table, key) }
      : failedCondition(input, stored);
    this.calls.push({ action, input, stored, reply });
    return reply;
  }

  #table(name: string): Table {
    const table = this.#tables.get(name);
    if (!table) throw new Error(`The model has no table ${name}.`);
    return table;
  }
}

/** Lets a call take effect, and returns the body of its response. */
function effectOf(action: string, input: Input, { items, previous }: Table, key: string): object {
  const stored = items.get(key);
  if (action === 'GetItem') {
    const isStale = !input.ConsistentRead && previous.has(key);
    const seen = isStale ? previous.get(key) : stored;
    if (isStale) previous.delete(key);
    return seen ? { Item: seen } : {};
  }
  previous.set(key, stored);
  switch (action) {
    case 'PutItem':
      items.set(key, { ...input.Item });
      return {};
    case 'UpdateItem': {
      const sum = sumOf(input, stored);
      items.set(key, { ...input.Key, ...stored, ...sum });
      return { Attributes: sum };
    }
    case 'DeleteItem':
      items.delete(key);
      return {};
    default:
      throw unknown(action);
  }
}

/** Evaluates `ADD name :count`. */
function sumOf(input: Input, stored: Item = {}): Item {
  const [, name, count = ''] = /^ADD (\w+) (:\w+)$/.exec(input.UpdateExpression ?? '') ?? [];
  const added = input.ExpressionAttributeValues?.[count]?.N;
  if (!name || !added) throw unknown(input.UpdateExpression);
  return { [name]: { N: String(BigInt(stored[name]?.N ?? 0) + BigInt(added)) } };
}

/** Evaluates a condition without parentheses. */
function isMet({ ConditionExpression: condition, ...input }: Input, stored: Item = {}): boolean {
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = input;
  const find = (word = '') => values?.[word] ?? stored[names?.[word] ?? word];
  const isTrue = (term: string) => {
    const [, absent] = /^attribute_not_exists\((\w+)\)$/.exec(term) ?? [];
    if (absent) return !find(absent);
    const [left, operator, right] = term.split(' ');
    if (operator === '=') return isDeepStrictEqual(find(left), find(right));
    if (operator === '<=') return numberIn(find(left)) <= numberIn(find(right));
    throw unknown(`the condition ${term}`);
  };
  const plain = condition?.replace(/(\S+) BETWEEN (\S+) AND (\S+)/, '$2 <= $1 AND $1 <= $3');
  return plain?.split(' OR ').some((all) => all.split(' AND ').every(isTrue)) ?? true;
}

function unknown(what?: string): Error {
  return new Error(
    `The model does not know ${what}: add it to test/interleavings/DynamoDbModel.ts.`,
  );
}

/** Returns NaN without a number, which no comparison is true of. */
function numberIn(value?: AttributeValue): bigint | number {
  return value?.N === undefined ? Number.NaN : BigInt(value.N);
}

function failedCondition(input: Input, stored?: Item): Reply {
  const name = 'ConditionalCheckFailedException';
  const { status, body } = errorReply(400, name, 'The conditional request failed');
  const isAsked = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
  return { status, body: isAsked ? { ...body, Item: stored } : body };
}

/** An error response of DynamoDB. */
export function errorReply(status: number, name: string, message = name): Reply {
  return { status, body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message } };
}
