import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { dynamoDbClient } from '../dynamodb/client.ts';

/** Enough for a connection and a read, and short if the endpoint does not respond. */
const timeoutMs = 300;

/**
 * Opens a connection to DynamoDB and initialises the SDK during the init phase, so that the first
 * request does not wait for them.
 *
 * It reads a key that cannot exist, which every function may do. It ends after 300 ms at the latest
 * and never fails. The first request then does the rest.
 */
export async function warmUp(): Promise<void> {
  const abortion = new AbortController();
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    timeout.resolve();
    abortion.abort();
  }, timeoutMs);
  const read = new GetItemCommand({
    TableName: config.apiKeysTableName,
    Key: { digest: { S: 'none' } },
  });
  const answer = dynamoDbClient.send(read, { abortSignal: abortion.signal });
  await Promise.race([answer.catch(() => {}), timeout.promise]);
  clearTimeout(timer);
}
