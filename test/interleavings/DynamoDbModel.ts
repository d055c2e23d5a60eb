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
  /** The items before their last write. The next read returns them if it is eventually consistent. */
  previous: Map<string, Item | undefined>;
  /** The items as the indexes have them. */
  indexed: Map<string, Item>;
};

/** The calls of DynamoDB that the service makes: one step for each request, in memory. */
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

  put(TableName: string, Item: Item): void {
    this.execute('PutItem', { TableName, Item });
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
        return this.#write(input, undefined);
      case 'Query':
        return this.#query(input);
      default:
        throw new Error(`The model does not know ${action}.`);
    }
  }

  #get({ TableName, Key = {}, ConsistentRead }: Input): Reply {
    const { items, previous } = this.#table(TableName);
    const key = this.#keyOf(TableName, Key);
    const isStale = !ConsistentRead && previous.has(key);
    const item = isStale ? previous.get(key) : items.get(key);
    previous.delete(key);
    return { status: 200, body: item ? { Item: item } : {} };
  }

  /** Stores an item, or deletes the item of the key. */
  #write(input: Input, item: Item | undefined, body: object = {}): Reply {
    const { TableName, ConditionExpression, Key = {} } = input;
    const { items, previous, indexed } = this.#table(TableName);
    const key = this.#keyOf(TableName, item ?? Key);
    const stored = items.get(key);
    if (ConditionExpression && !isTrue(ConditionExpression, stored ?? {}, input)) {
      return refusal('ConditionalCheckFailedException');
    }
    previous.set(key, stored);
    if (item) items.set(key, item);
    else items.delete(key);
    this.updateIndex(key, () => {
      const latest = items.get(key);
      if (latest) indexed.set(key, latest);
    });
    return { status: 200, body };
  }

  #update(input: Input): Reply {
    const { TableName, Key = {} } = input;
    const stored = this.#table(TableName).items.get(this.#keyOf(TableName, Key)) ?? Key;
    const changes: Item = {};
    for (const { action, attribute, value } of assignmentsOf(input)) {
      const sum = () => BigInt(stored[attribute]?.N ?? 0) + BigInt(value.N ?? 0);
      changes[attribute] = action === 'SET' ? value : { N: String(sum()) };
    }
    const body = input.ReturnValues === 'UPDATED_NEW' ? { Attributes: changes } : {};
    return this.#write(input, { ...stored, ...changes }, body);
  }

  #query(input: Input): Reply {
    const { TableName, IndexName = '', KeyConditionExpression = '', ExclusiveStartKey } = input;
    const { definition, indexed } = this.#table(TableName);
    const index = definition.indexes[IndexName];
    if (!index) throw new Error(`The model has no index ${IndexName}.`);
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
    const isCut = found.length >= maxItems && lastKey;
    return { status: 200, body: { Items: page, ...(isCut && { LastEvaluatedKey: lastKey }) } };
  }

  #table(name: string): Table {
    const table = this.#tables.get(name);
    if (!table) throw new Error(`The model has no table ${name}.`);
    return table;
  }

  #keyOf(tableName: string, item: Item): string {
    return item[this.#table(tableName).definition.partitionKey.name]?.S ?? '';
  }
}

/** Reads `ADD name :value` and `SET name = :value, name = :value`. */
function assignmentsOf({ UpdateExpression = '', ExpressionAttributeValues }: Input) {
  const [action = '', ...rest] = UpdateExpression.split(' ');
  const assignments = rest.join(' ').split(', ');
  return assignments.map((assignment) => {
    const [, attribute = '', placeholder = ''] = /^(\w+) (?:= )?(:\w+)$/.exec(assignment) ?? [];
    const value = ExpressionAttributeValues?.[placeholder];
    if (!value) throw new Error(`The model cannot read the update ${UpdateExpression}.`);
    return { action, attribute, value };
  });
}

/** Evaluates AND, OR, BETWEEN, comparisons and `attribute_not_exists`, without parentheses. */
function isTrue(expression: string, item: Item, input: Input): boolean {
  // The AND of a BETWEEN joins no conditions.
  const marked = expression.replaceAll(/(\S+) BETWEEN (\S+) AND (\S+)/g, '$1 >= $2 AND $1 <= $3');
  return marked
    .split(' OR ')
    .some((part) => part.split(' AND ').every((term) => isTermTrue(term, item, input)));
}

function isTermTrue(term: string, item: Item, input: Input): boolean {
  const operand = (text = ''): bigint | string | undefined => {
    const name = input.ExpressionAttributeNames?.[text] ?? text;
    const value = text.startsWith(':') ? input.ExpressionAttributeValues?.[text] : item[name];
    return value?.N === undefined ? value?.S : BigInt(value.N);
  };
  const missing = /^attribute_not_exists\((\S+)\)$/.exec(term)?.[1];
  if (missing) return operand(missing) === undefined;

  const [, left, operator, right] = /^(\S+) (=|<=|>=?) (\S+)$/.exec(term) ?? [];
  const [a, b] = [operand(left), operand(right)];
  if (a === undefined || b === undefined) return false;
  switch (operator) {
    case '=':
      return a === b;
    case '<=':
      return a <= b;
    case '>=':
      return a >= b;
    case '>':
      return a > b;
    default:
      throw new Error(`The model cannot read the condition ${term}.`);
  }
}

/** An error response of DynamoDB. */
export function refusal(name: string, status = 400): Reply {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: `${name} (model)` };
  return { status, body };
}
