import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { TableDefinition } from '../../lib/dynamodb/tables.ts';

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
  /** The items before their last write, which the next read returns if it is eventually consistent. */
  previous: Map<string, Item | undefined>;
  /** The items as the indexes have them. */
  indexed: Map<string, Item>;
};

/** The part of DynamoDB that the service uses: one step for each request, in memory. */
export class DynamoDbModel {
  /** All calls so far, by the order of their effects. */
  readonly calls: { action: string; input: Input; reply: Reply }[] = [];
  readonly #tables: Map<string, Table>;
  /** Queries stop after this many items. */
  maxPageItems = Number.POSITIVE_INFINITY;
  /** Decides when the indexes get a write. */
  updateIndex = (_key: string, update: () => void): void => update();

  constructor(definitions: Record<string, TableDefinition>) {
    this.#tables = new Map(
      Object.entries(definitions).map(([name, definition]) => [
        name,
        { definition, items: new Map(), previous: new Map(), indexed: new Map() },
      ]),
    );
  }

  items(tableName: string): Item[] {
    return [...this.#table(tableName).items.values()];
  }

  /** The items as the indexes have them. */
  indexedItems(tableName: string): Item[] {
    return [...this.#table(tableName).indexed.values()];
  }

  #table(name: string): Table {
    const table = this.#tables.get(name);
    if (!table) throw new Error(`The model has no table ${name}.`);
    return table;
  }

  put(TableName: string, Item: Item): void {
    this.execute('PutItem', { TableName, Item });
  }

  delete(TableName: string, Key: Item): void {
    this.execute('DeleteItem', { TableName, Key });
  }

  execute(action: string, input: Input): Reply {
    const reply = this.#reply(action, input);
    this.calls.push({ action, input, reply });
    return reply;
  }

  #reply(action: string, input: Input): Reply {
    switch (action) {
      case 'GetItem':
        return this.#get(input);
      case 'PutItem':
        return this.#write(input, input.Item);
      case 'UpdateItem':
        return this.#update(input);
      case 'DeleteItem':
        this.#set(input.TableName, this.#keyOf(input.TableName, input.Key ?? {}), undefined);
        return ok({});
      case 'Query':
        return this.#query(input);
      default:
        return refusal('UnknownOperationException');
    }
  }

  #set(tableName: string, key: string, item: Item | undefined): void {
    const { items, previous, indexed } = this.#table(tableName);
    previous.set(key, items.get(key));
    if (item) items.set(key, item);
    else items.delete(key);
    if (tableName.includes('pets')) {
      this.updateIndex(key, () => {
        const latest = items.get(key);
        if (latest) indexed.set(key, latest);
        else indexed.delete(key);
      });
    }
  }

  #get({ TableName, Key = {}, ConsistentRead }: Input): Reply {
    const { items, previous } = this.#table(TableName);
    const key = this.#keyOf(TableName, Key);
    const isStale = !ConsistentRead && previous.has(key);
    const item = isStale ? previous.get(key) : items.get(key);
    previous.delete(key);
    return ok(item ? { Item: item } : {});
  }

  #write(input: Input, item: Item = {}, response: object = {}): Reply {
    const { TableName, ConditionExpression } = input;
    const stored = this.#table(TableName).items.get(this.#keyOf(TableName, item)) ?? {};
    if (ConditionExpression && !isTrue(ConditionExpression, stored, input)) {
      return refusal('ConditionalCheckFailedException');
    }
    this.#set(TableName, this.#keyOf(TableName, item), item);
    return ok(response);
  }

  #update(input: Input): Reply {
    const { TableName, Key = {}, ReturnValues } = input;
    const stored = this.#table(TableName).items.get(this.#keyOf(TableName, Key)) ?? Key;
    const changes: Item = {};
    for (const { action, attribute, value } of assignmentsOf(input)) {
      const before = stored[attribute] ?? { N: '0' };
      if (action === 'SET') changes[attribute] = value;
      else if (before.N && value.N) {
        changes[attribute] = { N: String(BigInt(before.N) + BigInt(value.N)) };
      } else if (isTrue(input.ConditionExpression ?? '', stored, input)) {
        return refusal('ValidationException');
      }
    }
    const response = ReturnValues === 'UPDATED_NEW' ? { Attributes: changes } : {};
    return this.#write(input, { ...stored, ...changes }, response);
  }

  #query(input: Input): Reply {
    const { TableName, IndexName = '', KeyConditionExpression = '', ExclusiveStartKey } = input;
    const { definition, indexed } = this.#table(TableName);
    const index = definition.indexes[IndexName];
    if (!index) return refusal('ValidationException');
    const sortKey = index.sortKey.name;
    const number = (item: Item) => BigInt(item[sortKey]?.N ?? 0);
    const found = [...indexed.values()]
      .filter((item) => isTrue(KeyConditionExpression, item, input))
      .filter((item) => !ExclusiveStartKey || number(item) > number(ExclusiveStartKey))
      .sort((a, b) => (number(a) < number(b) ? -1 : 1));
    const maxItems = Math.min(input.Limit ?? Number.POSITIVE_INFINITY, this.maxPageItems);
    const page = found.slice(0, maxItems);
    const last = page.at(-1);
    // DynamoDB stops at the limit without a look at what follows.
    const names = [definition.partitionKey.name, index.partitionKey.name, sortKey];
    const lastKey = last && Object.fromEntries(names.map((name) => [name, last[name]]));
    return ok({
      Items: page,
      ...(found.length >= maxItems && lastKey && { LastEvaluatedKey: lastKey }),
    });
  }

  #keyOf(tableName: string, item: Item): string {
    return item[this.#table(tableName).definition.partitionKey.name]?.S ?? '';
  }
}

/** Reads `ADD name :value` and `SET name = :value, name = :value`. */
function assignmentsOf(input: Input) {
  const [action = '', ...rest] = (input.UpdateExpression ?? '').split(' ');
  const assignments = rest.join(' ').split(', ');
  return assignments.map((assignment) => {
    const [, name = '', placeholder = ''] = /^(#?\w+) (?:= )?(:\w+)$/.exec(assignment) ?? [];
    const value = input.ExpressionAttributeValues?.[placeholder];
    if (!value) throw new Error(`The model cannot read the update ${input.UpdateExpression}.`);
    return { action, attribute: input.ExpressionAttributeNames?.[name] ?? name, value };
  });
}

/** Evaluates AND, OR, BETWEEN, comparisons and `attribute_not_exists`, without parentheses. */
function isTrue(expression: string, item: Item, input: Input): boolean {
  // The AND of a BETWEEN joins no conditions.
  const marked = expression.replaceAll(/(\S+) BETWEEN (\S+) AND (\S+)/g, '$1 >= $2 AND $1 <= $3');
  return marked
    .split(' OR ')
    .some((part) => part.split(' AND ').every((term) => isTermTrue(term.trim(), item, input)));
}

function isTermTrue(term: string, item: Item, input: Input): boolean {
  const operand = (text = ''): bigint | string | undefined => {
    const name = input.ExpressionAttributeNames?.[text] ?? text;
    const value = text.startsWith(':') ? input.ExpressionAttributeValues?.[text] : item[name];
    return value?.N === undefined ? value?.S : BigInt(value.N);
  };
  const missing = /^attribute_not_exists\((\S+)\)$/.exec(term)?.[1];
  if (missing) return operand(missing) === undefined;

  const [, left, operator = '', right] = /^(\S+) (=|<=?|>=?) (\S+)$/.exec(term) ?? [];
  const [a, b] = [operand(left), operand(right)];
  // Values of two types are unequal and in no order.
  if (a === undefined || b === undefined || typeof a !== typeof b) return false;
  const results: Record<string, boolean> = {
    '=': a === b,
    '<': a < b,
    '<=': a <= b,
    '>': a > b,
    '>=': a >= b,
  };
  const result = results[operator];
  if (result === undefined) throw new Error(`The model cannot read the condition ${term}.`);
  return result;
}

function ok(body: object): Reply {
  return { status: 200, body };
}

/** An error response of DynamoDB. */
export function refusal(name: string, status = 400): Reply {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: `${name} (model)` };
  return { status, body };
}
