import type {
  AttributeValue,
  DeleteItemInput,
  GetItemInput,
  PutItemInput,
  UpdateItemInput,
} from '@aws-sdk/client-dynamodb';
import type { TableDefinition } from '../../lib/tables.ts';

/** An item on the wire. */
export type Item = Record<string, AttributeValue>;

/** The request of any call, as the JSON on the wire has it. */
export type Input = { TableName: string } & Partial<
  GetItemInput & PutItemInput & UpdateItemInput & DeleteItemInput
>;

export type Reply = { status: number; body: object };

/** A call that took effect, and the item that was stored before it. */
export type Call = { action: string; input: Input; stored: Item | undefined; reply: Reply };

type Table = {
  definition: TableDefinition;
  items: Map<string, Item>;
  /** The items before their last write. The next read returns them if it is eventually consistent. */
  previous: Map<string, Item | undefined>;
};

/** The calls of DynamoDB that the service makes: one step for each request, in memory. */
export class DynamoDbModel {
  /** All calls so far, by the order of their effects. */
  readonly calls: Call[] = [];
  readonly #tables: Map<string, Table>;

  constructor(definitions: Record<string, TableDefinition>) {
    this.#tables = new Map(
      Object.entries(definitions).map(([name, definition]) => [
        name,
        { definition, items: new Map(), previous: new Map() },
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
    return { status: 200, body };
  }

  #update(input: Input, place: Place): Reply {
    const { stored = input.Key } = place;
    const { attribute, value } = additionOf(input);
    const sum = BigInt(stored?.[attribute]?.N ?? 0) + BigInt(value.N ?? 0);
    const changes = { [attribute]: { N: String(sum) } };
    const body = input.ReturnValues === 'UPDATED_NEW' ? { Attributes: changes } : {};
    return this.#write(input, place, { ...stored, ...changes }, body);
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

/** Reads `ADD name :value`. */
function additionOf({ UpdateExpression = '', ExpressionAttributeValues }: Input) {
  const [, attribute = '', placeholder = ''] = /^ADD (\w+) (:\w+)$/.exec(UpdateExpression) ?? [];
  const value = ExpressionAttributeValues?.[placeholder];
  if (!value) throw new Error(`The model cannot read the update ${UpdateExpression}.`);
  return { attribute, value };
}

/** Evaluates AND, OR, BETWEEN, comparisons and `attribute_not_exists`, without parentheses. */
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
  const [, attribute] = /^attribute_not_exists\((\S+)\)$/.exec(term) ?? [];
  if (attribute) return operand(attribute) === undefined;

  const [, left, operator = '', right] = /^(\S+) (\S+) (\S+)$/.exec(term) ?? [];
  const compare = comparisons[operator];
  if (!compare) throw new Error(`The model cannot read the condition ${term}.`);
  const [a, b] = [operand(left), operand(right)];
  return a !== undefined && b !== undefined && compare(a, b);
}

const comparisons: Record<string, (a: Operand, b: Operand) => boolean> = {
  '=': (a, b) => a === b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
};

/** An error response of DynamoDB. */
export function errorReply(status: number, name: string, message = name): Reply {
  return { status, body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message } };
}
