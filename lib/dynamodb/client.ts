import {
  type AttributeValue,
  DynamoDBClient,
  type DynamoDBClientConfig,
  DynamoDBServiceException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, NumberValue } from '@aws-sdk/lib-dynamodb';
import { ApiError } from '../errors.ts';
import { collectStream, lambdaSettings, Sha256 } from './tuning.ts';

/** DynamoDB's errors under load: the request was valid, and a retry can succeed. */
const throttlingErrors = new Set([
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
]);

/** The SDK has already waited and retried, so a shorter delay would not help. */
const retryAfterSeconds = '1';

function newClient(settings: DynamoDBClientConfig): DynamoDBClient {
  const client = new DynamoDBClient({
    ...lambdaSettings(process.env),
    sha256: Sha256,
    streamCollector: collectStream,
    // The SDK has no time-out by default. Three attempts of 1.5 s end well before the function's own
    // time-out of 10 s.
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 500, requestTimeout: 1500, throwOnRequestTimeout: true },
    ...settings,
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
          throw isUnavailability(error) ? unavailable(error) : error;
        }
      },
  );
  return client;
}

/** The client of the requests. It resolves the SDK's middlewares for each kind of command, not each call. */
export const dynamoDbClient = newClient({ cacheMiddleware: true });

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

let newDocumentClient: DynamoDBDocumentClient | undefined;

/**
 * Returns the document client: it writes a `bigint` exactly and reads each integer as a `bigint`.
 *
 * It cannot cache middlewares, so it has a client of its own, with the same connections. Requests
 * without an Idempotency-Key do not need it.
 */
export function documentClient(): DynamoDBDocumentClient {
  newDocumentClient ??= DynamoDBDocumentClient.from(
    newClient({ requestHandler: dynamoDbClient.config.requestHandler }),
    { unmarshallOptions: { wrapNumbers: readNumber } },
  );
  return newDocumentClient;
}

/** Keeps a number that is not an integer unchanged, so that the reader's schema reports it. */
function readNumber(text: string): bigint | NumberValue {
  return integer.test(text) ? BigInt(text) : NumberValue.from(text);
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

function unavailable(cause: unknown): ApiError {
  return new ApiError(
    'service_unavailable',
    'The store did not respond in time. The request is valid: send it again later.',
    { headers: { 'Retry-After': retryAfterSeconds }, cause },
  );
}
