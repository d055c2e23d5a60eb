import {
  type AttributeValue,
  DynamoDBClient,
  DynamoDBServiceException,
} from '@aws-sdk/client-dynamodb';
import { serviceUnavailable } from '../errors.ts';
import { timeouts } from '../timeouts.ts';
import { collectStream, lambdaSettings } from './tuning.ts';

/** DynamoDB's errors under load: the request was valid, and a retry can succeed. */
const throttlingErrors = new Set([
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
]);

const storeUnavailable =
  'The store did not respond in time. The request is valid: send it again later.';

/** The client of the functions. */
export const dynamoDbClient = new DynamoDBClient({
  ...lambdaSettings(process.env),
  streamCollector: collectStream,
  // Resolves the SDK's middlewares for each kind of command, not for each call.
  cacheMiddleware: true,
  maxAttempts: timeouts.databaseAttempts,
  requestHandler: {
    connectionTimeout: timeouts.databaseConnectionMs,
    requestTimeout: timeouts.databaseResponseMs,
    throwOnRequestTimeout: true,
  },
});

// `loggerMiddleware` deep-copies every input and output for a no-op logger.
dynamoDbClient.middlewareStack.remove('loggerMiddleware');

// The only place that translates SDK errors. It runs outside the SDK's retries.
dynamoDbClient.middlewareStack.add(
  (next) =>
    async function translateErrors(call) {
      try {
        return await next(call);
      } catch (error) {
        throw isUnavailability(error) ? serviceUnavailable(storeUnavailable, error) : error;
      }
    },
);

const integer = /^-?\d+$/;

/** Returns the strings of an item, and its integers as `bigint`. A schema refuses all other values. */
export function readItem(item: Record<string, AttributeValue>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      value.S ?? (integer.test(value.N ?? '') ? BigInt(value.N ?? '') : value),
    ]),
  );
}

type ItemValue = { S: string } | { N: string };

/** Returns the item that `readItem` reads: strings and integers. It has no attribute for `undefined`. */
export function writeItem(
  members: Record<string, string | bigint | undefined>,
): Record<string, ItemValue> {
  const item: Record<string, ItemValue> = {};
  for (const [name, value] of Object.entries(members)) {
    if (typeof value === 'bigint') item[name] = { N: String(value) };
    else if (value !== undefined) item[name] = { S: value };
  }
  return item;
}

/**
 * True for throttling, DynamoDB's 5xx, and calls without a readable response: time-outs, resets, and
 * responses that are cut or not JSON.
 *
 * False for DynamoDB's refusals, and for the errors of a bug: `TypeError` and `RangeError`.
 */
function isUnavailability(error: unknown): boolean {
  if (error instanceof DynamoDBServiceException) {
    return throttlingErrors.has(error.name) || error.$fault === 'server';
  }
  return !(error instanceof TypeError || error instanceof RangeError);
}
