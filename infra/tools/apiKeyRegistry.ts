import { PutCommand, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import {
  ApiKeyRecord,
  apiKeyDigest,
  apiKeyId,
  createApiKey,
  isLive,
} from '../../lib/apiKeys/apiKey.ts';
import { dynamoDb } from '../../lib/dynamodb/client.ts';
import { nowEpochSeconds } from '../../lib/nowEpochSeconds.ts';

/** Where a stage keeps its API keys. */
export type ApiKeyRegistry = { stage: string; tableName: string };

type IssueOptions = { name: string; expiresAtEpochSeconds?: bigint | undefined };

/** Issues a key. What it returns is the key itself: it is stored nowhere and cannot be shown again. */
export async function issueApiKey(
  { stage, tableName }: ApiKeyRegistry,
  { name, expiresAtEpochSeconds }: IssueOptions,
): Promise<string> {
  const apiKey = createApiKey(stage);
  const record: ApiKeyRecord = {
    digest: apiKeyDigest(apiKey),
    name,
    createdAtEpochSeconds: nowEpochSeconds(),
    ...(expiresAtEpochSeconds !== undefined && { expiresAtEpochSeconds }),
  };
  await dynamoDb.send(new PutCommand({ TableName: tableName, Item: record }));
  return apiKey;
}

/** Lists all keys that were ever issued, the oldest first. */
export async function listApiKeys({ tableName }: ApiKeyRegistry): Promise<ApiKeyRecord[]> {
  const records: ApiKeyRecord[] = [];
  for await (const { Items = [] } of paginateScan({ client: dynamoDb }, { TableName: tableName })) {
    for (const item of Items) {
      const { data: record } = ApiKeyRecord.safeParse(item);
      // A damaged record is no key of anybody's, and must not keep the others from being revoked.
      if (record) records.push(record);
      else process.stderr.write(`The record ${item.digest} is damaged and was left out.\n`);
    }
  }
  return records.sort((a, b) => Number(a.createdAtEpochSeconds - b.createdAtEpochSeconds));
}

/**
 * Issues a second key under the name of a live one, to live as long as that one was made for.
 *
 * The old key stays as it is until `endApiKey`, so that whoever rotates has the new one in hand first.
 */
export async function rotateApiKey(registry: ApiKeyRegistry, id: string): Promise<string> {
  const { name, createdAtEpochSeconds, expiresAtEpochSeconds } = await findLiveApiKey(registry, id);
  if (expiresAtEpochSeconds === undefined) return issueApiKey(registry, { name });
  const lifetimeSeconds = expiresAtEpochSeconds - createdAtEpochSeconds;
  return issueApiKey(registry, {
    name,
    expiresAtEpochSeconds: nowEpochSeconds() + lifetimeSeconds,
  });
}

/** Lets a live key end at a moment, unless it ends sooner; returns when it does. */
export async function endApiKey(
  registry: ApiKeyRegistry,
  { id, endsAtEpochSeconds }: { id: string; endsAtEpochSeconds: bigint },
): Promise<bigint> {
  const { digest, expiresAtEpochSeconds } = await findLiveApiKey(registry, id);
  if (expiresAtEpochSeconds !== undefined && expiresAtEpochSeconds <= endsAtEpochSeconds) {
    return expiresAtEpochSeconds;
  }
  await setMoment(registry, digest, 'expiresAtEpochSeconds', endsAtEpochSeconds);
  return endsAtEpochSeconds;
}

/** Revokes a live key. Instances that remember it accept it for another 60 seconds at most. */
export async function revokeApiKey(registry: ApiKeyRegistry, id: string): Promise<void> {
  const { digest } = await findLiveApiKey(registry, id);
  await setMoment(registry, digest, 'revokedAtEpochSeconds', nowEpochSeconds());
}

/** With a scan: keys are few, and the table is keyed by what the service looks up, the digest. */
async function findLiveApiKey(registry: ApiKeyRegistry, id: string): Promise<ApiKeyRecord> {
  const record = (await listApiKeys(registry)).find(({ digest }) => apiKeyId(digest) === id);
  if (!record) throw new Error(`No API key of ${registry.stage} has the id ${id}: see the list.`);
  if (!isLive(record)) throw new Error(`The API key ${id} is revoked or expired already.`);
  return record;
}

async function setMoment(
  { tableName }: ApiKeyRegistry,
  digest: string,
  attribute: 'expiresAtEpochSeconds' | 'revokedAtEpochSeconds',
  epochSeconds: bigint,
): Promise<void> {
  await dynamoDb.send(
    new UpdateCommand({
      TableName: tableName,
      Key: { digest },
      UpdateExpression: 'SET #attribute = :epochSeconds',
      // An update of a key that is gone would make half a record.
      ConditionExpression: 'attribute_exists(digest)',
      ExpressionAttributeNames: { '#attribute': attribute },
      ExpressionAttributeValues: { ':epochSeconds': epochSeconds },
    }),
  );
}
