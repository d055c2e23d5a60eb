import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { dynamoDb } from '../../lib/dynamodb/client.ts';

type DatabaseCall = {
  action: string;
  /** What DynamoDB charges for the call, as its own answer says. */
  units: number;
  /** How many items a query read. */
  readItems: number | undefined;
  /** Places in the order of all that was sent and answered. */
  sentAt: number;
  answeredAt: number;
};

/**
 * Stands between the SDK and the database, counts what passes, and asks for the price.
 *
 * The list that it returns grows as calls are answered.
 */
export function measureDatabase(client = dynamoDb): DatabaseCall[] {
  const { requestHandler } = client.config;
  const handle = requestHandler.handle.bind(requestHandler);
  const calls: DatabaseCall[] = [];
  let place = 0;
  vi.spyOn(requestHandler, 'handle').mockImplementation(async (request, options) => {
    place += 1;
    const sentAt = place;
    const action = String(request.headers['x-amz-target']).replace('DynamoDB_20120810.', '');
    const input = JSON.parse(new TextDecoder().decode(request.body));
    request.body = JSON.stringify({ ...input, ReturnConsumedCapacity: 'TOTAL' });
    request.headers['content-length'] = String(Buffer.byteLength(request.body));
    const answer = await handle(request, options);

    const body = await text(answer.response.body);
    answer.response.body = Readable.from([Buffer.from(body)]);
    const { ConsumedCapacity, ScannedCount } = JSON.parse(body);
    place += 1;
    const units = ConsumedCapacity?.CapacityUnits ?? 0; // a refusal tells none
    calls.push({ action, units, readItems: ScannedCount, sentAt, answeredAt: place });
    return answer;
  });
  return calls;
}
