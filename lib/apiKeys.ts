import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { apiKeyDigest, apiKeyId, isApiKeyOf } from './apiKey.ts';
import { ApiKeyRecord, isLive } from './apiKeyRecord.ts';
import { config } from './config.ts';
import { dynamoDb } from './dynamoDb.ts';
import { log } from './log.ts';

/** How long a revoked key may live on in a running instance. */
const rememberedForMs = 60_000;

/** Keys are few; the limit keeps a mistake from filling the memory. */
const maxRememberedKeys = 1_000;

const rememberedKeys = new Map<string, { record: ApiKeyRecord; untilMs: number }>();

/**
 * Returns the id of the API key, or `undefined` where it is not a live key of this stage.
 *
 * A text that cannot be a key costs no database read, nor does a key seen within 60 seconds.
 */
export async function authenticate(apiKey: string): Promise<string | undefined> {
  const digest = apiKeyDigest(apiKey);
  let record = recall(digest);
  if (!record && isApiKeyOf(config.stage, apiKey)) record = await readRecord(digest);
  return record && isLive(record) ? apiKeyId(digest) : undefined;
}

function recall(digest: string): ApiKeyRecord | undefined {
  const remembered = rememberedKeys.get(digest);
  return remembered && Date.now() < remembered.untilMs ? remembered.record : undefined;
}

async function readRecord(digest: string): Promise<ApiKeyRecord | undefined> {
  const askedAtMs = Date.now();
  const { Item } = await dynamoDb.send(
    new GetCommand({ TableName: config.apiKeysTableName, Key: { digest }, ConsistentRead: true }),
  );
  if (!Item) return undefined;

  const { data: record, error } = ApiKeyRecord.safeParse(Item);
  if (error) log('api_key_damaged', { apiKeyId: apiKeyId(digest), cause: error });
  if (record && isLive(record)) {
    if (rememberedKeys.size >= maxRememberedKeys) rememberedKeys.clear();
    rememberedKeys.set(digest, { record, untilMs: askedAtMs + rememberedForMs });
  }
  return record;
}
