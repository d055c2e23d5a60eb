import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  DynamoDBServiceException,
} from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  NumberValue,
  PutCommand,
  type PutCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type * as z from 'zod/mini';
import { config, timeouts } from '../config.ts';
import { serviceUnavailable } from '../errors.ts';
import { isInt64Text } from '../int64.ts';
import type { Log } from '../logging.ts';
import type { TableName } from '../tables.ts';

/** An item as it is stored. An int64 is a `bigint`, and any other number a `NumberValue`. */
export type Item = Record<string, unknown>;

/**
 * Reads a number without rounding it, so that the next query sends `LastEvaluatedKey` back as it came.
 *
 * It never throws, because an error would lose the whole page of a list and not only the damaged item.
 */
function wrapNumbers(text: string): bigint | NumberValue {
  return isInt64Text(text) ? BigInt(text) : NumberValue.from(text);
}

/** DynamoDB's errors under load: the request was valid, and a retry can succeed. */
const throttlingErrors = new Set([
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
]);

const storeUnavailable = 'The store did not respond in time: send the request again later.';

let client: DynamoDBDocumentClient | undefined;

export function dynamoDb(): DynamoDBDocumentClient {
  client ??= createClient();
  return client;
}

/** Closes the client. The next call creates another one, from the environment of that time. */
export function closeDynamoDb(): void {
  client?.destroy();
  client = undefined;
}

function createClient(): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    maxAttempts: timeouts.databaseAttempts,
    requestHandler: {
      connectionTimeout: timeouts.databaseConnectionMs,
      socketTimeout: timeouts.databaseResponseMs,
    },
  });
  // `loggerMiddleware` deep-copies every input and output for a no-op logger: 15 % of a list of 100.
  client.middlewareStack.remove('loggerMiddleware');
  // The only place that translates SDK errors. It runs outside the SDK's retries, and inside the conversion of
  // the input, whose errors are bugs.
  client.middlewareStack.add(
    (next) =>
      async function translateErrors(call) {
        try {
          return await next(call);
        } catch (error) {
          throw isUnavailability(error) ? serviceUnavailable(storeUnavailable, error) : error;
        }
      },
    { step: 'build' },
  );
  return documentClient(client);
}

/** Returns a client that takes and returns items as objects. */
export function documentClient(client: DynamoDBClient): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers } });
}

/** True for throttling, DynamoDB's 5xx, and calls without a readable response. False for bugs. */
function isUnavailability(error: unknown): boolean {
  if (error instanceof DynamoDBServiceException) {
    return throttlingErrors.has(error.name) || error.$fault === 'server';
  }
  return !(error instanceof TypeError || error instanceof RangeError);
}

/** The parts of a request that its database calls need. */
export type RequestContext = {
  log: Log;
  /** Added to the log line of the request. Add no text, because a client may have written it. */
  logFields: Record<string, number | bigint>;
  /** Aborts when the response is due. Pass it to each call, so that no call goes on after the response. */
  abortSignal: AbortSignal;
};

type Condition = Pick<
  PutCommandInput,
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/**
 * Puts an item if the stored one meets a condition, and otherwise returns the stored one.
 *
 * The condition must be true if nothing is stored, so a condition that fails has a stored item. Throws if
 * the engine does not return that item.
 */
export async function putIf(
  table: TableName,
  item: Item,
  condition: Condition,
  { abortSignal }: RequestContext,
): Promise<Item | undefined> {
  const put = new PutCommand({
    TableName: config().tableNames[table],
    Item: item,
    ...condition,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await dynamoDb().send(put, { abortSignal });
    return undefined;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException && error.Item) {
      // The client does not convert the item of an error.
      return unmarshall(error.Item, { wrapNumbers });
    }
    throw error;
  }
}

/**
 * Returns what a schema describes of a stored item. `name` is what the log calls the item.
 *
 * Logs a damaged item, and throws an error that names its damaged or missing fields.
 */
export function readItem<Schema extends z.ZodMiniType>(
  schema: Schema,
  item: Item,
  name: { table: TableName; pk: unknown },
  { log }: Pick<RequestContext, 'log'>,
): z.output<Schema> {
  const { data, error } = schema.safeParse(item);
  if (!error) return data as z.output<Schema>;
  const fields = error.issues.map(({ path }) => path.join('.'));
  const cause = new Error(`${name.pk} has no valid ${fields.join(', ')}.`);
  log('item_damaged', { ...name, cause });
  throw cause;
}

/** Returns the time in whole seconds since 1970, the unit of DynamoDB's time to live. */
export function nowEpochSeconds(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}
