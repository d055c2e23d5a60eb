import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { config } from '../config.ts';
import { dynamoDb } from '../dynamoDb.ts';
import { statusShardsOf } from '../listPets.ts';
import { operations } from '../operations.ts';
import { petStatuses } from '../schemas.ts';

/** Long enough for a connection and a read, short enough to be no trouble where nobody answers. */
const boundMs = 300;

/**
 * Does during the init phase what the first request would wait for: the connections to DynamoDB, and
 * all that the SDK makes at its first call.
 *
 * The calls are reads that every function may make, of a key that cannot be: a digest has 64 digits.
 * It ends after 300 ms at the latest and never fails; the first request then does what is missing.
 */
export async function warmUp(name: string): Promise<void> {
  const abortion = new AbortController();
  const bound = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    bound.resolve();
    abortion.abort();
  }, boundMs);
  const reads = Array.from({ length: connectionsOf(name) }, () =>
    dynamoDb.send(new GetCommand({ TableName: config.apiKeysTableName, Key: { digest: 'none' } }), {
      abortSignal: abortion.signal,
    }),
  );
  await Promise.race([Promise.allSettled(reads), bound.promise]);
  clearTimeout(timer);
}

/** As many as the function's calls at once: a list asks all partitions of the index. */
function connectionsOf(name: string): number {
  const { access } = operations[name as keyof typeof operations] ?? { access: [] };
  return access.some(({ action }) => action === 'Query') ? statusShardsOf(petStatuses).length : 1;
}
