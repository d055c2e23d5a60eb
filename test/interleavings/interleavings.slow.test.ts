import { describe, expect, it } from 'vitest';
import { mapTables } from '../../lib/tables.ts';
import { createTables } from '../../local/createTables.ts';
import { assertReached, checkInterleavings } from './checkInterleavings.ts';
import type { Call, Reply } from './DynamoDbModel.ts';
import { scenarioNames } from './scenarios.ts';
import { loadService } from './startInstance.ts';

/** A fixed part, enough to find each fault that was tried. `npm run test:interleavings` runs others. */
const runs = { numRuns: 50, seed: 1 };

const startInstance = await loadService();

describe('the service keeps its promises when', () => {
  it.each(scenarioNames)('%s', async (name) => {
    assertReached(name, runs, await checkInterleavings(name, startInstance, runs));
  });
});

describe('the model of DynamoDB', () => {
  it.each(scenarioNames)('replies as the engine does when %s', async (name) => {
    const recorded: Call[][] = [];
    await checkInterleavings(name, startInstance, { ...runs, numRuns: 2 }, ({ database }) => {
      recorded.push(database.calls);
    });

    for (const calls of recorded) {
      expect(calls.map(({ reply }) => reply)).toEqual(await repliesOfEngine(calls));
    }
  });
});

/** Sends the same calls to new tables of the engine. */
async function repliesOfEngine(calls: Call[]): Promise<Reply[]> {
  const run = crypto.randomUUID();
  await createTables(mapTables((name) => `${name}-${run}`));
  const replies: Reply[] = [];
  for (const { action, input } of calls) {
    const response = await fetch(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', {
      method: 'POST',
      headers: {
        Authorization:
          'AWS4-HMAC-SHA256 Credential=local/20261120/local/dynamodb/aws4_request, SignedHeaders=b, Signature=c',
        'Content-Type': 'application/x-amz-json-1.0',
        'X-Amz-Date': '20261120T000000Z',
        'X-Amz-Target': `DynamoDB_20120810.${action}`,
      },
      body: JSON.stringify({ ...input, TableName: `${input.TableName}-${run}` }),
    });
    replies.push({ status: response.status, body: (await response.json()) as object });
  }
  return replies;
}
