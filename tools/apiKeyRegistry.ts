import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import {
  ApiKeyRecord,
  apiKeyDigest,
  apiKeyId,
  createApiKey,
  isApiKeyValid,
} from '../lib/apiKeys/apiKey.ts';
import { documentClient, nowEpochSeconds } from '../lib/dynamodb/client.ts';
import { throughProxy } from './throughProxy.ts';

/** For a Region far away. By default, the SDK has no time-outs. */
const timeoutMs = 10_000;

const client = documentClient(
  new DynamoDBClient({
    requestHandler: {
      ...throughProxy,
      connectionTimeout: timeoutMs,
      socketTimeout: timeoutMs,
    },
  }),
);

/** The table in which a stage stores the records of its API keys. */
export type ApiKeyRegistry = { stage: string; tableName: string };

/**
 * How long a revoked or expired key can be listed.
 *
 * Longer than the 35 days that a restore reaches back. Otherwise a restore could bring a deleted key back as valid.
 */
const keptForSeconds = 90n * 86_400n;

/** Without a lifetime, the key does not expire. */
type IssueOptions = Pick<ApiKeyRecord, 'name' | 'readOnly'> & {
  lifetimeSeconds?: bigint | undefined;
};

/** Issues a key and returns it. Only its digest is stored, so it cannot be shown again. */
export async function issueApiKey(
  registry: ApiKeyRegistry,
  options: IssueOptions,
  call: { abortSignal?: AbortSignal } = {},
): Promise<string> {
  const apiKey = createApiKey(registry.stage);
  await storeApiKey(registry, apiKey, options, call);
  return apiKey;
}

/** Makes a key valid, and returns its record. */
export async function storeApiKey(
  { tableName }: ApiKeyRegistry,
  apiKey: string,
  { name, lifetimeSeconds, readOnly }: IssueOptions,
  call: { abortSignal?: AbortSignal } = {},
): Promise<ApiKeyRecord> {
  const createdAtEpochSeconds = nowEpochSeconds();
  const expires = lifetimeSeconds && createdAtEpochSeconds + lifetimeSeconds;
  const record = {
    digest: apiKeyDigest(apiKey),
    name,
    createdAtEpochSeconds,
    expiresAtEpochSeconds: expires,
    readOnly,
  };
  const Item = { ...record, deleteAfterEpochSeconds: expires && expires + keptForSeconds };
  await client.send(new PutCommand({ TableName: tableName, Item }), call);
  return record;
}

/** Lists all keys, oldest first. A stage on AWS deletes revoked and expired keys after `keptForSeconds`. */
export async function listApiKeys({ tableName }: ApiKeyRegistry): Promise<ApiKeyRecord[]> {
  const records: ApiKeyRecord[] = [];
  const input = { TableName: tableName, ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client }, input)) {
    for (const item of Items) {
      const { data: record } = ApiKeyRecord.safeParse(item);
      // A damaged record matches no key, and must not stop the other keys from being revoked.
      if (record) records.push(record);
      else process.stderr.write(`Skipped the record ${item.digest}: it is damaged.\n`);
    }
  }
  return records.sort((a, b) => Number(a.createdAtEpochSeconds - b.createdAtEpochSeconds));
}

/**
 * Revokes a valid key.
 *
 * It scans the table for the id: there are few keys, and the table is keyed by the digest that requests look up.
 */
export async function revokeApiKey(registry: ApiKeyRegistry, id: string): Promise<void> {
  const record = (await listApiKeys(registry)).find(({ digest }) => apiKeyId(digest) === id);
  if (!record) throw new Error(`No API key of ${registry.stage} has the id ${id}: use "list".`);
  if (!isApiKeyValid(record)) throw new Error(`The API key ${id} is already revoked or expired.`);
  const now = nowEpochSeconds();
  await client.send(
    new UpdateCommand({
      TableName: registry.tableName,
      Key: { digest: record.digest },
      UpdateExpression: 'SET revokedAtEpochSeconds = :now, deleteAfterEpochSeconds = :deleteAfter',
      // Updating a deleted key would create a record with these attributes only.
      ConditionExpression: 'attribute_exists(digest)',
      ExpressionAttributeValues: { ':now': now, ':deleteAfter': now + keptForSeconds },
    }),
  );
}
