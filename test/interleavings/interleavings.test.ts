import {
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { createTables } from '../../infra/local/createTables.ts';
import { checkInterleavings } from './checkInterleavings.ts';
import type { DynamoDbModel, Reply } from './DynamoDbModel.ts';
import { scenarios } from './scenarios.ts';
import { loadService } from './startInstance.ts';

/** A fixed part. `npm run test:interleavings` runs others. */
const runs = { numRuns: 25, seed: 1 };

const startInstance = await loadService();

describe('the service keeps its promises when', () => {
  it.each(Object.keys(scenarios))(
    '%s',
    async (name) => {
      await checkInterleavings(name, startInstance, runs);
    },
    60_000,
  );
});

describe('the model of DynamoDB', () => {
  // Not the walk with an index that lags, because the index of the engine does not.
  it.each([
    'the counter is set back while creations race',
    'a record whose id is taken expires while retries use it',
  ])('replies as the engine does when %s', async (name) => {
    await checkInterleavings(name, startInstance, { numRuns: 2, seed: 1 }, async ({ database }) => {
      expect(await repliesOfEngine(database.calls)).toEqual(
        database.calls.map(({ reply }) => resultOf(reply)),
      );
    });
  });
});

type Result = {
  error?: string;
  Item?: unknown;
  Items?: unknown;
  Attributes?: unknown;
  LastEvaluatedKey?: unknown;
};

const commands: Record<string, unknown> = {
  DeleteItem: DeleteItemCommand,
  GetItem: GetItemCommand,
  PutItem: PutItemCommand,
  Query: QueryCommand,
  UpdateItem: UpdateItemCommand,
};

/** Sends the same calls to new tables of the engine. */
async function repliesOfEngine(calls: DynamoDbModel['calls']): Promise<Result[]> {
  const client = new DynamoDBClient({ maxAttempts: 1 });
  const run = crypto.randomUUID();
  const tableNames: Record<string, string> = {
    pets: `p-${run}`,
    keys: `k-${run}`,
    idempotency: `i-${run}`,
  };
  await createTables({ pets: `p-${run}`, apiKeys: `k-${run}`, idempotency: `i-${run}` });
  const results: Result[] = [];
  for (const { action, input } of calls) {
    const Command = commands[action] as typeof GetItemCommand;
    const command = new Command({ ...input, TableName: tableNames[input.TableName] } as never);
    const result = client.send(command);
    results.push(await result.then(pick, ({ name }: Error) => ({ error: name })));
  }
  client.destroy();
  return results;
}

function resultOf({ status, body }: Reply): Result {
  const { __type } = body as { __type?: string };
  return status === 200 ? pick(body) : { error: __type?.split('#')[1] ?? '' };
}

/** The parts of a reply that the service reads. */
function pick({ Item, Items, Attributes, LastEvaluatedKey }: Result): Result {
  return { Item, Items, Attributes, LastEvaluatedKey };
}
