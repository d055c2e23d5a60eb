import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { dynamoDbClient } from '../../lib/dynamodb/client.ts';

type DatabaseCall = {
  action: string;
  /** The capacity units that the response reports. */
  units: number;
  /** The number of items that a query read. */
  readItems: number | undefined;
  /** Positions in the order of all requests and responses. */
  sentAt: number;
  respondedAt: number;
};

/**
 * Records each database call with the capacity units that it consumed.
 *
 * Returns a list that grows with each response.
 */
export function measureDatabase(client = dynamoDbClient): DatabaseCall[] {
  const { requestHandler } = client.config;
  const handle = requestHandler.handle.bind(requestHandler);
  const calls: DatabaseCall[] = [];
  let position = 0;
  vi.spyOn(requestHandler, 'handle').mockImplementation(async (request, options) => {
    position += 1;
    const sentAt = position;
    const action = String(request.headers['x-amz-target']).replace('DynamoDB_20120810.', '');
    const input = JSON.parse(new TextDecoder().decode(request.body));
    request.body = JSON.stringify({ ...input, ReturnConsumedCapacity: 'TOTAL' });
    request.headers['content-length'] = String(Buffer.byteLength(request.body));
    const result = await handle(request, options);

    const body = await text(result.response.body);
    result.response.body = Readable.from([Buffer.from(body)]);
    const { ConsumedCapacity, ScannedCount } = JSON.parse(body);
    position += 1;
    const units = ConsumedCapacity?.CapacityUnits ?? 0; // an error response reports none
    calls.push({ action, units, readItems: ScannedCount, sentAt, respondedAt: position });
    return result;
  });
  return calls;
}
