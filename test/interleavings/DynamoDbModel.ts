import type {
  AttributeValue,
  DeleteItemInput,
  GetItemInput,
  PutItemInput,
  QueryInput,
  UpdateItemInput,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../../lib/dynamodb/attributes.ts';
import type { TableDefinition } from '../../lib/tables.ts';

/** The request of any call, as the JSON on the wire has it. */
export type Input = { TableName: string } & Partial<
  GetItemInput & PutItemInput & UpdateItemInput & DeleteItemInput & QueryInput
>;

export type Reply = { status: number; body: object };

/** A call that took effect, and the item that was stored before it. */
export type Call = { action: string; input: Input; stored: Item | undefined; reply: Reply };

type Table = {
  definition: TableDefinition;
  items: Map<string, Item>;
  /** The items before their last write. The next read returns them if it is eventually consistent. */
  previous: Map<string, Item | undefined>;
  /** The items as each copy of the indexes has them. DynamoDB may read any copy. */
  indexCopies: [Map<string, Item>, Map<string, Item>];
};

/** The calls of DynamoDB that the service makes: one step for each request, in memory. */
export class DynamoDbModel {
  /** All calls so far, by the order of their effects. */
  readonly calls: Call[] = [];
  readonly #tables: Map<string, Table>;
  /** Queries stop after this many items. */
  maxPageItems = Number.POSITIVE_INFINITY;
  /** Decides when a copy of the indexes gets a write. */
  updateIndex = (_key: string, update: () => void): void => update();
  #queries = 0;

  constructor(definitions: Record<string, TableDefinition>) {
    this.#tables = new Map(
      Object.entries(definitions).map(([name, definition]) => [
        name,
        { definition, items: new Map(), previous: new Map(), indexCopies: [new Map(), new Map()] },
      ]),
    );
  }

  items(tableName: string): Item[] {
    return [...this.#table(tableName).items.values()];
  }

  /** The items that every copy of the indexes has. */
  indexedItems(tableName: string): Item[] {
    const [first, second] = this.#table(tableName).indexCopies;
    return [...first].flatMap(([key, item]) => (second.has(key) ? [item] : []));
  }

  put(TableName: string, Item: Item): void {
    this.execute('PutItem', { TableName, Item });
  }

  execute(action: string, input: Input): Reply {
    const table = this.#table(input.TableName);
    const key = (input.Item ?? input.Key)?.[table.definition.partitionKey.name]?.S ?? '';
    const stored = table.items.get(key);
    const reply = this.#actions[action]?.(input, { table, key, stored });
    if (!reply) throw new Error(`The model does not know ${action}.`);
    this.calls.push({ action, input, stored, reply });
    return reply;
  }

  readonly #actions: Record<string, (input: Input, place: Place) => Reply> = {
    GetItem: get,
    PutItem: (input, place) => this.#write(input, place, input.Item),
    UpdateItem: (input, place) => this.#update(input, place),
    DeleteItem: (input, place) => this.#write(input, place),
    Query: (input, { table }) => this.#query(input, table),
  };

  /** Stores an item, or deletes the stored one. */
  #write(input: Input, { table, key, stored }: Place, item?: Item, body: object = {}): Reply {
    const { ConditionExpression, ReturnValuesOnConditionCheckFailure } = input;
    if (ConditionExpression && !isTrue(ConditionExpression, stored ?? {}, input)) {
      const name = 'ConditionalCheckFailedException';
      const { status, body } = errorReply(400, name, 'The conditional request failed');
      const isReturned = stored && ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
      return { status, body: { ...body, ...(isReturned && { Item: stored }) } };
    }
    table.previous.set(key, stored);
    if (item) table.items.set(key, item);
    else table.items.delete(key);
    for (const copy of table.indexCopies) {
      this.updateIndex(key, () => {
        const latest = table.items.get(key);
        if (latest) copy.set(key, latest);
      });
    }
    return { status: 200, body };
  }

  #update(input: Input, place: Place): Reply {
    const { stored = input.Key } = place;
    const changes: Item = {};
    for (const { action, attribute, value } of assignmentsOf(input)) {
      const sum = () => BigInt(stored?.[attribute]?.N ?? 0) + BigInt(value.N ?? 0);
      changes[attribute] = action === 'SET' ? value : { N: String(sum()) };
    }
    const body = input.ReturnValues === 'UPDATED_NEW' ? { Attributes: changes } : {};
    return this.#write(input, place, { ...stored, ...changes }, body);
  }

  #query(input: Input, { definition, indexCopies }: Table): Reply {
    const { IndexName = '', KeyConditionExpression = '', ExclusiveStartKey: start } = input;
    const index = definition.indexes[IndexName];
    if (!index) throw new Error(`The model has no index ${IndexName}.`);
    const sortKey = index.sortKey.name;
    const position = (item: Item) => operandOf(item[sortKey]) ?? '';
    const isBefore = (a: Item, b: Item) =>
      input.ScanIndexForward === false ? position(a) > position(b) : position(a) < position(b);
    const [copy] = this.#queries++ % 2 === 0 ? indexCopies : indexCopies.toReversed();
    const found = [...(copy?.values() ?? [])]
      .filter((item) => isTrue(KeyConditionExpression, item, input))
      .filter((item) => !start || isBefore(start, item))
      .sort((a, b) => (isBefore(a, b) ? -1 : 1));
    const maxItems = Math.min(input.Limit ?? Number.POSITIVE_INFINITY, this.maxPageItems);
    const Items = found.slice(0, maxItems);
    const body = { Items, Count: Items.length, ScannedCount: Items.length };
    const last = Items.at(-1);
    // DynamoDB stops at the limit without a look at what follows.
    if (!last || found.length < maxItems) return { status: 200, body };
    const names = [definition.partitionKey.name, index.partitionKey.name, sortKey];
    const LastEvaluatedKey = Object.fromEntries(names.map((name) => [name, last[name]]));
    return { status: 200, body: { ...body, LastEvaluatedKey } };
  }

  #table(name: string): Table {
    const table = this.#tables.get(name);
    if (!table) throw new Error(`The model has no table ${name}.`);
    return table;
  }
}

/** Where the item of a call is. */
type Place = { table: Table; key: string; stored: Item | undefined };

function get({ ConsistentRead }: Input, { table: { previous }, key, stored }: Place): Reply {
  const Item = !ConsistentRead && previous.has(key) ? previous.get(key) : stored;
  previous.delete(key);
  return { status: 200, body: { Item } };
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

/** Evaluates AND, OR, BETWEEN, comparisons and `attribute_[not_]exists`, without parentheses. */
function isTrue(expression: string, item: Item, input: Input): boolean {
  // The AND of a BETWEEN joins no conditions.
  const marked = expression.replaceAll(/(\S+) BETWEEN (\S+) AND (\S+)/g, '$1 >= $2 AND $1 <= $3');
  return marked
    .split(' OR ')
    .some((part) => part.split(' AND ').every((term) => isTermTrue(term, item, input)));
}

type Operand = bigint | string;

function operandOf(value: AttributeValue | undefined): Operand | undefined {
  return value?.N === undefined ? value?.S : BigInt(value.N);
}

function isTermTrue(term: string, item: Item, input: Input): boolean {
  const operand = (text = ''): Operand | undefined => {
    const name = input.ExpressionAttributeNames?.[text] ?? text;
    return operandOf(text.startsWith(':') ? input.ExpressionAttributeValues?.[text] : item[name]);
  };
  const [, isMissing, attribute] = /^attribute_(not_)?exists\((\S+)\)$/.exec(term) ?? [];
  if (attribute) return Boolean(isMissing) === (operand(attribute) === undefined);

  const [, left, operator = '', right] = /^(\S+) (\S+) (\S+)$/.exec(term) ?? [];
  const compare = comparisons[operator];
  if (!compare) throw new Error(`The model cannot read the condition ${term}.`);
  const [a, b] = [operand(left), operand(right)];
  return a !== undefined && b !== undefined && compare(a, b);
}

const comparisons: Record<string, (a: Operand, b: Operand) => boolean> = {
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
  '>': (a, b) => a > b,
};

/** An error response of DynamoDB. */
export function errorReply(status: number, name: string, message = name): Reply {
  return { status, body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message } };
}
