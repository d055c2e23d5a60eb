import {
  DynamoDBClient,
  type DynamoDBClientConfig,
  DynamoDBServiceException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, NumberValue } from '@aws-sdk/lib-dynamodb';
import { ApiError } from './ApiError.ts';
import { clientSettings } from './clientSettings.ts';
import { collectStream } from './collectStream.ts';
import { Sha256 } from './Sha256.ts';
import { withFastProperties } from './withFastProperties.ts';

/** Refusals by which DynamoDB asks for patience: the request was right and may be sent again. */
const throttlingErrors = new Set([
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
]);

/** In seconds: the SDK waited and retried already, so the trouble is more than a blink. */
const retryAfterSeconds = '1';

/** A client of the plain kind, with what all of ours have in common. */
function newClient(settings: DynamoDBClientConfig): DynamoDBClient {
  const client = new DynamoDBClient({
    ...clientSettings(process.env),
    sha256: Sha256,
    streamCollector: collectStream,
    // Without these the SDK waits for ever. Three attempts of 1.5 s end well before the function's
    // own time-out of 10 s.
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 500, requestTimeout: 1500, throwOnRequestTimeout: true },
    ...settings,
  });
  withFastProperties(client.config); // which the SDK copies four times a call

  // It copies whatever goes in and out, deeply, for a logger that there is not.
  client.middlewareStack.remove('loggerMiddleware');
  // The one place where the SDK's errors become ours. It stands outside of the SDK's retries.
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

/** For what each request does: it resolves the SDK's middlewares once a command, not once a call. */
export const dynamoDbClient = newClient({ cacheMiddleware: true });

/**
 * The document client: a `bigint` goes out exactly, and each integer comes back as a `bigint`.
 *
 * It cannot keep its middlewares, so it has a client of its own. The connections are the same.
 */
export const dynamoDb = DynamoDBDocumentClient.from(
  newClient({ requestHandler: dynamoDbClient.config.requestHandler }),
  { unmarshallOptions: { wrapNumbers: readNumber } },
);

/** A number that is no integer is damage, and the reader's schema shall say so, not this line. */
function readNumber(text: string): bigint | NumberValue {
  return /^-?\d+$/.test(text) ? BigInt(text) : NumberValue.from(text);
}

/** Time-outs, resets, cut answers, throttling and DynamoDB's own 5xx; not a refusal, nor our bugs. */
function isUnavailability(error: unknown): boolean {
  if (error instanceof DynamoDBServiceException) {
    return throttlingErrors.has(error.name) || error.$fault === 'server';
  }
  return !(error instanceof TypeError || error instanceof RangeError);
}

function unavailable(cause: unknown): ApiError {
  return new ApiError(
    'service_unavailable',
    'The store did not answer in time. Nothing is wrong with the request: send it again later.',
    { headers: { 'Retry-After': retryAfterSeconds }, cause },
  );
}
