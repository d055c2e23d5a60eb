import { DynamoDBClient, DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DynamoDBDocumentClient,
  paginateScan,
} from '@aws-sdk/lib-dynamodb';
import { vi } from 'vitest';
import { config } from '../../lib/config.ts';
import { type TableName, tables } from '../../lib/tables.ts';
import { createTables } from '../../local/createTables.ts';

const petsTable = config().tableNames.pets;
const maxBatchItems = 25;

/** Writes and reads values of every type. An integer is a `bigint`, and another number its text. */
const documentClient = DynamoDBDocumentClient.from(new DynamoDBClient(), {
  unmarshallOptions: { wrapNumbers: (text) => (text.includes('.') ? text : BigInt(text)) },
});

// Each test file has its own stage, see isolatedStage.ts. A test that uses its tables imports this file.
await createTables(config().tableNames);

type StoredItem = Record<string, unknown> & { pk: string };

/** All items of a table, by default those of the pets table with the counter. */
export async function storedItems(tableName = petsTable): Promise<StoredItem[]> {
  const input = { TableName: tableName, ConsistentRead: true };
  const pages = paginateScan({ client: documentClient }, input);
  return (await Array.fromAsync(pages)).flatMap(({ Items = [] }) => Items as StoredItem[]);
}

/** All items of the pets table, except the counter. */
export async function storedPets(): Promise<StoredItem[]> {
  return (await storedItems()).filter(({ pk }) => pk !== 'COUNTER');
}

export const storeItem = (item: StoredItem) => storeItems([item]);

/** Writes many items of a table in a few requests. */
export async function storeItems(
  items: Record<string, unknown>[],
  tableName = petsTable,
): Promise<void> {
  const writes = items.map((Item) => ({ PutRequest: { Item } }));
  await writeBatches(tableName, writes);
}

/** Makes ids from 1 to `lastId` taken. */
export async function takeIds(lastId: number): Promise<void> {
  const ids = Array.from({ length: lastId }, (_, n) => BigInt(n + 1));
  await storeItems(ids.map((id) => ({ pk: `PET#${id}`, id })));
}

export async function emptyTable(tableName: string, partitionKey = 'pk'): Promise<void> {
  const keys = (await storedItems(tableName)).map((item) => ({
    [partitionKey]: item[partitionKey],
  }));
  const writes = keys.map((Key) => ({ DeleteRequest: { Key } }));
  await writeBatches(tableName, writes);
}

/** The tables without the API keys, each with its physical name. */
const dataTables = Object.entries(config().tableNames).filter(([name]) => name !== 'apiKeys');

/** Deletes all items of all tables, except the API keys. */
export async function emptyTables(): Promise<void> {
  for (const [name, tableName] of dataTables) {
    await emptyTable(tableName, tables[name as TableName].partitionKey.name);
  }
}

/** All items with an id, of every table. */
export async function itemsWithId(): Promise<{ tableName: string; item: StoredItem }[]> {
  const found = dataTables.map(async ([, tableName]) =>
    (await storedItems(tableName)).map((item) => ({ tableName, item })),
  );
  return (await Promise.all(found)).flat().filter(({ item }) => 'id' in item);
}

async function writeBatches(
  tableName: string,
  writes: NonNullable<BatchWriteCommandInput['RequestItems']>[string],
): Promise<void> {
  for (let start = 0; start < writes.length; start += maxBatchItems) {
    const batch = writes.slice(start, start + maxBatchItems);
    await documentClient.send(new BatchWriteCommand({ RequestItems: { [tableName]: batch } }));
  }
}

type Call = {
  action: string;
  /** The request in the form of DynamoDB's API. */
  input: Record<string, unknown>;
  abortSignal: AbortSignal | undefined;
  pass: () => Promise<unknown>;
};

const { requestHandler: ownHandler } = documentClient.config;
/** The class of the request handlers, of which every client has one. */
const handlers: typeof ownHandler = Object.getPrototypeOf(ownHandler);
const { handle } = handlers;

/**
 * Passes each HTTP request of the functions to DynamoDB to `intercept`, which decides what happens to it.
 *
 * Returns the growing list of sent actions, including retries: `PutItem`, `GetItem` and so on.
 */
export function interceptDatabase(
  intercept: (call: Call) => Promise<unknown> = ({ pass }) => pass(),
): string[] {
  const actions: string[] = [];
  // The SDK waits a random part of a second before a retry. Zero makes it retry at once.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  vi.spyOn(handlers, 'handle').mockImplementation(async function (
    this: typeof ownHandler,
    request,
    options,
  ) {
    const pass = () => handle.call(this, request, options);
    const [, action] = /^DynamoDB_\d+\.(.+)/.exec(request.headers['x-amz-target'] ?? '') ?? [];
    if (this === ownHandler || action === undefined) return pass();
    actions.push(action);
    const input = JSON.parse(new TextDecoder().decode(request.body));
    const { abortSignal } = { ...options } as { abortSignal?: AbortSignal };
    return (await intercept({ action, input, abortSignal, pass })) as ReturnType<typeof handle>;
  });
  return actions;
}

/** The error of a broken connection. */
export function connectionReset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}

/** An error response of DynamoDB, as the SDK throws it. */
export function dynamoDbError(name: string, httpStatusCode: number): Error {
  return new DynamoDBServiceException({
    name,
    message: `${name} by the test`,
    $fault: httpStatusCode < 500 ? 'client' : 'server',
    $metadata: { httpStatusCode },
  });
}
