import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  DynamoDBServiceException,
  PutItemCommand,
  type PutItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { collectStream } from '../coldStart/tuning.ts';
import { config, timeouts } from '../config.ts';
import { serviceUnavailable } from '../errors.ts';
import type { Log } from '../logging.ts';
import type { TableName } from '../tables.ts';
import type { Item } from './attributes.ts';

/** DynamoDB's errors under load: the request was valid, and a retry can succeed. */
const throttlingErrors = new Set([
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
]);

const storeUnavailable = 'The store did not respond in time: send the request again later.';

let client: DynamoDBClient | undefined;

/** Returns the client of the functions. The first call creates it. */
export function dynamoDb(): DynamoDBClient {
  client ??= createClient();
  return client;
}

function createClient(): DynamoDBClient {
  const isOnLambda = Boolean(process.env.AWS_LAMBDA_FUNCTION_NAME);
  const responseMs = isOnLambda ? timeouts.databaseResponseMs : timeouts.localDatabaseMs;
  const client = new DynamoDBClient({
    streamCollector: collectStream,
    maxAttempts: timeouts.databaseAttempts,
    requestHandler: {
      connectionTimeout: isOnLambda ? timeouts.databaseConnectionMs : timeouts.localDatabaseMs,
      requestTimeout: responseMs,
      throwOnRequestTimeout: true,
      // `requestTimeout` covers only the time until the headers. `socketTimeout` ends a body that stalls.
      socketTimeout: responseMs,
    },
  });
  // `loggerMiddleware` deep-copies every input and output for a no-op logger.
  client.middlewareStack.remove('loggerMiddleware');
  // The only place that translates SDK errors. It runs outside the SDK's retries.
  client.middlewareStack.add(
    (next) =>
      async function translateErrors(call) {
        try {
          return await next(call);
        } catch (error) {
          throw isUnavailability(error) ? serviceUnavailable(storeUnavailable, error) : error;
        }
      },
  );
  return client;
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

type Condition = Pick<PutItemCommandInput, 'ConditionExpression' | 'ExpressionAttributeValues'>;

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
  const put = new PutItemCommand({
    TableName: config().tableNames[table],
    Item: item,
    ...condition,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await dynamoDb().send(put, { abortSignal });
    return undefined;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException && error.Item) return error.Item;
    throw error;
  }
}

/** Returns the time in whole seconds since 1970, the unit of DynamoDB's time to live. */
export function nowEpochSeconds(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}
