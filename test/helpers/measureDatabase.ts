import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { config } from '../../lib/config.ts';
import { dynamoDbClient } from '../../lib/dynamodb/client.ts';
import type { OperationName } from '../../lib/operations.ts';
import { permissionsOf } from './permissions.ts';

type DatabaseCall = {
  action: string;
  /** The capacity units that the response reports. */
  units: number;
  /** The number of items that a query read. */
  readItems: number | undefined;
  /** Positions in the order of all requests and responses. */
  sentAt: number;
  respondedAt: number;
};

/** The calls of each operation in this test file, in the form of `permissionsOf`. */
const performed = new Map<OperationName, Set<string>>();

/**
 * Records each database call of an operation with the capacity units that it consumed.
 *
 * Returns a list that grows with each response.
 */
export function measureDatabase(operation: OperationName, client = dynamoDbClient): DatabaseCall[] {
  const { requestHandler } = client.config;
  const handle = requestHandler.handle.bind(requestHandler);
  const calls: DatabaseCall[] = [];
  const accesses = performed.get(operation) ?? new Set();
  performed.set(operation, accesses);
  let position = 0;
  vi.spyOn(requestHandler, 'handle').mockImplementation(async (request, options) => {
    position += 1;
    const sentAt = position;
    const action = String(request.headers['x-amz-target']).replace('DynamoDB_20120810.', '');
    const input = JSON.parse(new TextDecoder().decode(request.body));
    accesses.add(`${action} ${placeOf(input)}`);
    request.body = JSON.stringify({ ...input, ReturnConsumedCapacity: 'TOTAL' });
    request.headers['content-length'] = String(Buffer.byteLength(request.body));
    const result = await handle(request, options);

    const body = await text(result.response.body);
    result.response.body = Readable.from([Buffer.from(body)]);
    const { ConsumedCapacity, ScannedCount } = JSON.parse(body);
    position += 1;
    const units = ConsumedCapacity?.CapacityUnits ?? 0; // an error response reports none
    calls.push({ action, units, readItems: ScannedCount, sentAt, respondedAt: position });
    return result;
  });
  return calls;
}

type Input = {
  TableName: string;
  IndexName?: string;
  Key?: { pk: { S: string } };
  Item?: { pk: { S: string } };
};

const tableNames: Record<string, string> = {
  [config.petsTableName]: 'pets',
  [config.apiKeysTableName]: 'apiKeys',
  [config.idempotencyTableName]: 'idempotency',
};

/** Returns the table of a request, with its index or the form of its partition key. */
function placeOf({ TableName, IndexName, Key, Item }: Input): string {
  const table = tableNames[TableName] ?? TableName;
  if (IndexName) return `${table}/${IndexName}`;
  const key = (Key ?? Item)?.pk?.S.replace(/#.*/, '#*');
  return key === undefined ? table : `${table} ${key}`;
}

/** Says how the measured calls of an operation differ from the `access` of its row. */
export function accessFaults(name: OperationName): string[] {
  // Every function may read the key of its caller.
  const done = [...(performed.get(name) ?? [])].filter((each) => each !== 'GetItem apiKeys');
  const allowed = permissionsOf(name);
  return [
    ...done
      .filter((access) => !allowed.includes(access))
      .map((access) => `${name} does ${access}: add it to its row in lib/operations.ts.`),
    ...allowed
      .filter((access) => !done.includes(access))
      .map((access) => `${name} never does ${access}: add a case, or remove it from its row.`),
  ];
}
