import { createRequire } from 'node:module';
import type {
  AttributeValue,
  DeleteItemInput,
  GetItemInput,
  PutItemInput,
  UpdateItemInput,
} from '@aws-sdk/client-dynamodb';
import type { TableDefinition } from '../../lib/tables.ts';
import { createTableInput } from '../../local/createTables.ts';
import { returnItemOnFailedCondition } from '../../local/dynaliteWorkarounds.ts';

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
  /** The items before their last write. The next read that is eventually consistent returns them. */
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
    let seen = stored;
    if (action === 'GetItem' && !input.ConsistentRead && table.previous.has(key)) {
      seen = table.previous.get(key);
      table.previous.delete(key);
    }
    const reply = replyOfEngine(action, input, storeOf(table, key, seen));
    this.calls.push({ action, input, stored, reply });
    return reply;
  }

  #table(name: string): Table {
    const table = this.#tables.get(name);
    if (!table) throw new Error(`The model has no table ${name}.`);
    return table;
  }
}

type Done = (error?: { body: object } | null, value?: object) => void;

/** The parts of dynalite that evaluate a call. */
type Engine = {
  act(store: object, data: object, done: Done): void;
  rules: { types: object; custom: object };
  validations: {
    checkTypes(data: object, types: object): object;
    checkValidations(data: object, types: object, custom: object, store: object): void;
  };
};

const requireEngine = createRequire(import.meta.resolve('dynalite'));
const { checkTypes, checkValidations }: Engine['validations'] = requireEngine('./validations');
returnItemOnFailedCondition();

/** Lets dynalite evaluate a call on a store that never waits. */
function replyOfEngine(action: string, input: Input, store: object): Reply {
  const name = action.replace(/^./, (letter) => letter.toLowerCase());
  const act: Engine['act'] = requireEngine(`./actions/${name}`);
  const { types, custom }: Engine['rules'] = requireEngine(`./validations/${name}`);
  const data = checkTypes({ ...input }, types);
  checkValidations(data, types, custom, store);
  let reply: Reply | undefined;
  act(store, data, (error, body = {}) => {
    reply = error ? { status: 400, body: error.body } : { status: 200, body };
  });
  if (!reply) throw new Error(`The model cannot wait for ${action}.`);
  return reply;
}

/** Returns a store of dynalite whose only item is `stored`. */
function storeOf({ definition, items, previous }: Table, key: string, stored?: Item): object {
  function write(done: Done, item?: Item): void {
    previous.set(key, stored);
    // The engine keeps JSON.
    if (item) items.set(key, JSON.parse(JSON.stringify(item)));
    else items.delete(key);
    done();
  }
  const itemDb = {
    lock: (_key: string, use: (release: (done: Done) => Done) => void) => use((done) => done),
    get: (_key: string, done: Done) => done(null, stored),
    put: (_key: string, item: Item, done: Done) => write(done, item),
    del: (_key: string, done: Done) => write(done),
  };
  const table = createTableInput('table', { ...definition, indexes: {} });
  return {
    options: {},
    getTable: (_name: string, done: Done) => done(null, table),
    getItemDb: () => itemDb,
  };
}

/** An error response of DynamoDB. */
export function errorReply(status: number, name: string, message = name): Reply {
  return { status, body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message } };
}
