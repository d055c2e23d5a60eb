import type { Reply } from './DynamoDbModel.ts';

/** A reply of the model as the SDK's HTTP handler returns it. */
export function toHttp({ status, body }: Reply): object {
  return {
    statusCode: status,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: Buffer.from(JSON.stringify(body)),
  };
}
