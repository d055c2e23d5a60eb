import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { config } from '../config.ts';
import { dynamoDb } from '../dynamoDb.ts';

/** Long enough for a connection and a read, short enough to be no trouble where nobody answers. */
const boundMs = 300;

/**
 * Does during the init phase what the first request would wait for: the connection to DynamoDB, and
 * all that the SDK makes at its first call.
 *
 * The call is a read that every function may make, of a key that cannot be: a digest has 64 digits.
 * It ends after 300 ms at the latest and never fails; the first request then does what is missing.
 */
export async function warmUp(): Promise<void> {
  const abortion = new AbortController();
  const timer = setTimeout(() => abortion.abort(), boundMs);
  const bound = new Promise<void>((resolve) => {
    abortion.signal.addEventListener('abort', () => resolve());
  });
  const read = dynamoDb
    .send(new GetCommand({ TableName: config.apiKeysTableName, Key: { digest: 'none' } }), {
      abortSignal: abortion.signal,
    })
    .catch(() => {});
  await Promise.race([read, bound]);
  clearTimeout(timer);
}
