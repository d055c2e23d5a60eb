import './stageTables.ts';
import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DeleteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { vi } from 'vitest';
import { config } from '../../lib/config.ts';
import { dynamoDb } from '../../lib/dynamodb/client.ts';

const TableName = config.petsTableName;

type StoredItem = Record<string, unknown> & { pk: string };

/** All items of the pets table, the counter among them. */
export async function storedItems(): Promise<StoredItem[]> {
  const { Items = [] } = await dynamoDb.send(new ScanCommand({ TableName, ConsistentRead: true }));
  return Items as StoredItem[];
}

/** Without the counter. */
export async function storedPets(): Promise<StoredItem[]> {
  return (await storedItems()).filter(({ pk }) => pk !== 'COUNTER');
}

export async function storeItem(Item: StoredItem): Promise<void> {
  await dynamoDb.send(new PutCommand({ TableName, Item }));
}

export async function deleteItem(pk: string): Promise<void> {
  await dynamoDb.send(new DeleteCommand({ TableName, Key: { pk } }));
}

/** Makes the store new again, its counter included. */
export async function emptyStore(): Promise<void> {
  const keys = (await storedItems()).map(({ pk }) => pk);
  while (keys.length > 0) {
    const deletions = keys.splice(0, 25).map((pk) => ({ DeleteRequest: { Key: { pk } } }));
    await dynamoDb.send(new BatchWriteCommand({ RequestItems: { [TableName]: deletions } }));
  }
}

/** What each Idempotency-Key of this test file's stage was used for. */
export async function idempotencyRecords(): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await dynamoDb.send(
    new ScanCommand({ TableName: config.idempotencyTableName, ConsistentRead: true }),
  );
  return Items;
}

type Call = {
  action: string;
  /** The request as DynamoDB's API has it. */
  input: Record<string, unknown>;
  pass: () => Promise<unknown>;
};

/**
 * Stands between the SDK and the database: `intercept` decides what becomes of each HTTP request.
 *
 * Returns the actions that were sent, attempts included: `PutItem`, `GetItem` and so on. A test that
 * loaded the modules anew names their client.
 */
export function interceptDatabase(
  intercept: (call: Call) => Promise<unknown>,
  client = dynamoDb,
): string[] {
  const { requestHandler } = client.config;
  const handle = requestHandler.handle.bind(requestHandler);
  const actions: string[] = [];
  // The SDK waits a random part of a second before it repeats: none of it here.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  vi.spyOn(requestHandler, 'handle').mockImplementation(async (request, options) => {
    const action = String(request.headers['x-amz-target']).replace('DynamoDB_20120810.', '');
    actions.push(action);
    const input = JSON.parse(new TextDecoder().decode(request.body));
    const answer = await intercept({ action, input, pass: () => handle(request, options) });
    return answer as ReturnType<typeof handle>;
  });
  return actions;
}

/** The error of a connection that broke. */
export function connectionReset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}

/** An error as the SDK makes it of DynamoDB's own answer. */
export function dynamoDbError(name: string, httpStatusCode: number): Error {
  return new DynamoDBServiceException({
    name,
    message: `${name} by the test`,
    $fault: httpStatusCode < 500 ? 'client' : 'server',
    $metadata: { httpStatusCode },
  });
}
