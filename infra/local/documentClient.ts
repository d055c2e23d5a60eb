import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, NumberValue } from '@aws-sdk/lib-dynamodb';
import { localStage } from './localStage.ts';

/**
 * The document client of the commands, in which speed does not matter. The functions use the plain client.
 *
 * It writes a `bigint` exactly and reads each integer as a `bigint`. The time-outs are long: an operator
 * may be on another continent, and a local engine shares its processor.
 */
export const documentClient = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    requestHandler: {
      connectionTimeout: localStage.databaseTimeoutMs,
      requestTimeout: localStage.databaseTimeoutMs,
      throwOnRequestTimeout: true,
    },
  }),
  {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: readNumber },
  },
);

/** Keeps a number that is not an integer unchanged, so that the reader's schema reports it. */
function readNumber(text: string): bigint | NumberValue {
  return /^-?\d+$/.test(text) ? BigInt(text) : NumberValue.from(text);
}
