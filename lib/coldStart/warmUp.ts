import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { dynamoDb } from '../dynamodb/client.ts';
import { type Operation, operations } from '../operations.ts';

/** Enough for a connection and a read. An endpoint that does not respond delays the start only this long. */
const timeoutMs = 300;

/**
 * Opens the connections to DynamoDB and initialises the SDK before the first request.
 *
 * It looks for a digest that no API key has, because every function may read that table. A setting that is
 * missing or invalid makes it throw, so the function fails at its start. No other failure does.
 */
export async function warmUp(name: string): Promise<void> {
  const abortSignal = AbortSignal.timeout(timeoutMs);
  const read = new GetItemCommand({
    TableName: config().tableNames.apiKeys,
    Key: { digest: { S: 'none' } },
  });
  const reads = Array.from({ length: connectionsOf(name) }, () =>
    dynamoDb().send(read, { abortSignal }),
  );
  await Promise.allSettled(reads);
  // Otherwise the first request pays for the garbage of the init phase. Lambda passes --expose-gc.
  globalThis.gc?.({ type: 'minor' });
}

/** One for each concurrent call: a list queries its partitions of the index at once. */
function connectionsOf(name: string): number {
  const operation: Operation | undefined = operations[name as keyof typeof operations];
  const calls = (operation?.access ?? []).map((access) =>
    access.action === 'Query' ? access.partitions : 1,
  );
  return Math.max(1, ...calls);
}
