import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { TableDefinition } from '../../lib/dynamodb/tables.ts';
import { isTrue } from './conditions.ts';

export type Item = Record<string, AttributeValue>;

/** The parts of a request that the service uses, as the JSON on the wire has them. */
export type Input = {
  TableName: string;
  Key?: Item;
  Item?: Item;
  IndexName?: string;
  KeyConditionExpression?: string;
  ConditionExpression?: string;
  UpdateExpression?: string;
  ReturnValues?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
  ConsistentRead?: boolean;
  Limit?: number;
  ExclusiveStartKey?: Item;
};

export type Reply = { status: number; body: object };

type Table = {
  definition: TableDefinition;
  items: Map<string, Item>;
  /** The items before their last write, which an eventually consistent read may still return. */
  previous: Map<string, Item | undefined>;
  /** The items as the indexes have them. */
  indexed: Map<string, Item>;
};

/** The part of DynamoDB that the service uses: one step for each request, in memory. */
export class DynamoDbModel {
  readonly tables: Map<string, Table>;
  /** Keys whose last write is not in the indexes yet. */
  readonly lagging = new Set<string>();
  readonly #hasIndexLag: boolean;

  constructor(definitions: Record<string, TableDefinition>, { hasIndexLag = false } = {}) {
    this.tables = new Map(
      Object.entries(definitions).map(([name, definition]) => [
        name,
        { definition, items: new Map(), previous: new Map(), indexed: new Map() },
      ]),
    );
    this.#hasIndexLag = hasIndexLag;
  }

  table(name: string): Table {
    const table = this.tables.get(name);
    if (!table) throw new Error(`The model has no table ${name}.`);
    return table;
  }

  /** Writes an item directly, or deletes it, as an operator or the time to live does. */
  set(tableName: string, key: string, item: Item | undefined): void {
    const { items, previous, indexed } = this.table(tableName);
    previous.set(key, items.get(key));
    if (item) items.set(key, item);
    else items.delete(key);
    if (this.#hasIndexLag && item && 'statusShard' in item) this.lagging.add(key);
    else if (item) indexed.set(key, item);
    else indexed.delete(key);
  }

  /** Lets the indexes of a table catch up with the last write of an item. */
  catchUp(tableName: string, key: string): void {
    const { items, indexed } = this.table(tableName);
    const item = items.get(key);
    if (item) indexed.set(key, item);
    this.lagging.delete(key);
  }

  /** Runs a request. `isStale` and `pageSize` are the freedoms that DynamoDB takes in a read. */
  execute(action: string, input: Input, { isStale = false, pageSize = Infinity } = {}): Reply {
    switch (action) {
      case 'GetItem':
        return this.#get(input, isStale);
      case 'PutItem':
        return this.#put(input);
      case 'UpdateItem':
        return this.#update(input);
      case 'Query':
        return this.#query(input, pageSize);
      default:
        return refusal('UnknownOperationException');
    }
  }

  #get({ TableName, Key = {} }: Input, isStale: boolean): Reply {
    const { items, previous } = this.table(TableName);
    const key = this.#keyOf(TableName, Key);
    const item = isStale && previous.has(key) ? previous.get(key) : items.get(key);
    return ok(item ? { Item: item } : {});
  }

  #put(input: Input): Reply {
    const { TableName, Item: item = {} } = input;
    const key = this.#keyOf(TableName, item);
    if (!isAllowed(this.table(TableName).items.get(key), input)) return conditionFailed;
    this.set(TableName, key, item);
    return ok({});
  }

  #update(input: Input): Reply {
    const { TableName, Key = {} } = input;
    const key = this.#keyOf(TableName, Key);
    const stored = this.table(TableName).items.get(key);
    if (!isAllowed(stored, input)) return conditionFailed;
    const changes: Record<string, AttributeValue | undefined> = Object.fromEntries(
      assignmentsOf(input).map(({ action, attribute, value }) => {
        const before = stored?.[attribute];
        return [attribute, action === 'ADD' ? sum(before, value) : value];
      }),
    );
    if (Object.values(changes).includes(undefined)) return refusal('ValidationException');
    this.set(TableName, key, { ...(stored ?? Key), ...changes } as Item);
    return ok(input.ReturnValues === 'UPDATED_NEW' ? { Attributes: changes } : {});
  }

  #query(input: Input, pageSize: number): Reply {
    const { TableName, IndexName = '', KeyConditionExpression = '', ExclusiveStartKey } = input;
    const { definition, indexed } = this.table(TableName);
    const index = definition.indexes[IndexName];
    if (!index) return refusal('ValidationException');
    const sortKey = index.sortKey.name;
    const number = (item: Item) => BigInt(item[sortKey]?.N ?? 0);
    const found = [...indexed.values()]
      .filter((item) => isTrue(KeyConditionExpression, item, input))
      .filter((item) => !ExclusiveStartKey || number(item) > number(ExclusiveStartKey))
      .sort((a, b) => (number(a) < number(b) ? -1 : 1));
    const maxItems = Math.min(input.Limit ?? Infinity, pageSize);
    const page = found.slice(0, maxItems);
    const last = page.at(-1);
    // DynamoDB stops at the limit without a look at what follows.
    const names = [definition.partitionKey.name, index.partitionKey.name, sortKey];
    const lastKey = last && Object.fromEntries(names.map((name) => [name, last[name]]));
    return ok({
      Items: page,
      Count: page.length,
      ScannedCount: page.length,
      ...(found.length >= maxItems && lastKey && { LastEvaluatedKey: lastKey }),
    });
  }

  #keyOf(tableName: string, item: Item): string {
    return item[this.table(tableName).definition.partitionKey.name]?.S ?? '';
  }
}

/** Reads `ADD name :value` and `SET name = :value, name = :value`. */
function assignmentsOf({
  UpdateExpression = '',
  ExpressionAttributeNames: names,
  ExpressionAttributeValues: values,
}: Input) {
  const [action = '', ...rest] = UpdateExpression.split(' ');
  return rest
    .join(' ')
    .split(', ')
    .map((assignment) => {
      const [, name = '', placeholder = ''] = /^(#?\w+) (?:= )?(:\w+)$/.exec(assignment) ?? [];
      const value = values?.[placeholder];
      if (!value) throw new Error(`The model cannot read the update ${UpdateExpression}.`);
      return { action, attribute: names?.[name] ?? name, value };
    });
}

/** A missing number counts as 0. Adding to any other value fails. */
function sum(
  before: AttributeValue | undefined,
  value: AttributeValue,
): AttributeValue | undefined {
  if ((before && !before.N) || !value.N) return undefined;
  return { N: String(BigInt(before?.N ?? 0) + BigInt(value.N)) };
}

function isAllowed(stored: Item | undefined, input: Input): boolean {
  const { ConditionExpression } = input;
  return ConditionExpression === undefined || isTrue(ConditionExpression, stored ?? {}, input);
}

function ok(body: object): Reply {
  return { status: 200, body };
}

/** An error response of DynamoDB. */
export function refusal(name: string, status = 400): Reply {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: `${name} (model)` };
  return { status, body };
}

const conditionFailed = refusal('ConditionalCheckFailedException');
