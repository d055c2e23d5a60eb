import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { config } from '../config.ts';
import { dynamoDb, type RequestContext } from '../dynamodb/client.ts';
import { ApiKeyRecord, apiKeyDigest, apiKeyId, isApiKeyOf, isApiKeyValid } from './apiKey.ts';

/** The longest time that a revoked key keeps working in a running instance. */
const cachedForMs = 60_000;

/** The valid keys by their digests. Other keys are not kept, so requests with them fill no memory. */
const cache = new Map<string, { record: ApiKeyRecord; readAtMs: number }>();

type ValidApiKey = { id: string; isReadOnly: boolean };

/**
 * Returns the id and the permissions of an API key, or `undefined` if it is not a valid key of this stage.
 *
 * It does not read the database for a text without the form of a key, or for a valid key that it read in the
 * last 60 seconds.
 */
export async function lookUpApiKey(
  apiKey: string,
  context: RequestContext,
): Promise<ValidApiKey | undefined> {
  const digest = apiKeyDigest(apiKey);
  const cached = cache.get(digest);
  let record = cached && Date.now() - cached.readAtMs < cachedForMs ? cached.record : undefined;
  if (!record && isApiKeyOf(config().stage, apiKey)) record = await readRecord(digest, context);
  if (!record || !isApiKeyValid(record)) return undefined;
  return { id: apiKeyId(digest), isReadOnly: record.readOnly === true };
}

async function readRecord(
  digest: string,
  { log, abortSignal }: RequestContext,
): Promise<ApiKeyRecord | undefined> {
  const requestedAtMs = Date.now();
  const { Item } = await dynamoDb().send(
    new GetCommand({
      TableName: config().tableNames.apiKeys,
      Key: { digest },
      ConsistentRead: true,
    }),
    { abortSignal },
  );
  if (!Item) return undefined;

  const { data: record, error } = ApiKeyRecord.safeParse(Item);
  if (error) log('api_key_damaged', { apiKeyId: apiKeyId(digest), cause: error });
  if (record && isApiKeyValid(record)) {
    cache.set(digest, { record, readAtMs: requestedAtMs });
  }
  return record;
}
