import { setTimeout as pause } from 'node:timers/promises';
import { BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { config } from '../../lib/config.ts';
import { dynamoDb, type Item } from '../../lib/dynamodb/client.ts';
import { advanceCounter } from '../../lib/pets/petIds.ts';
import { toPetItem } from '../../lib/pets/petItem.ts';
import { samplePet } from './samplePet.ts';

type Seeding = {
  /** Ends the seeding after the batch under way. */
  stop: AbortSignal;
  /** Gets a line of progress now and then. */
  log: (text: string) => void;
};

/** DynamoDB's limit. */
const maxBatchItems = 25;

const progressEveryMs = 5_000;

/**
 * Adds sample pets to the store and returns how many.
 *
 * It reserves all ids before it writes. So other pets may be created at the same time, and a seeding
 * that ends early leaves a gap in the ids.
 */
export async function seedPets(count: number, { stop, log }: Seeding): Promise<number> {
  log(`Adding ${count} sample pets …`);
  let written = 0;
  let loggedAtMs = performance.now();
  const lastId = await advanceCounter(BigInt(count));
  for (const batch of petBatches(lastId - BigInt(count) + 1n, lastId)) {
    if (stop.aborted) break;
    await writeBatch(batch);
    written += batch.length;
    if (performance.now() - loggedAtMs < progressEveryMs) continue;
    loggedAtMs = performance.now();
    log(`Added ${written} of ${count} sample pets …`);
  }
  log(`Added ${written} sample pets.`);
  return written;
}

function* petBatches(firstId: bigint, lastId: bigint): Generator<Item[]> {
  const token = crypto.randomUUID();
  let batch: Item[] = [];
  for (let id = firstId; id <= lastId; id += 1n) {
    batch.push(toPetItem(samplePet(id), token));
    if (batch.length < maxBatchItems && id < lastId) continue;
    yield batch;
    batch = [];
  }
}

async function writeBatch(items: Item[]): Promise<void> {
  const TableName = config().petsTableName;
  let requests: WriteRequest[] = items.map((Item) => ({ PutRequest: { Item } }));
  for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, 5_000)) {
    const { UnprocessedItems } = await dynamoDb().send(
      new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }),
    );
    requests = UnprocessedItems?.[TableName] ?? [];
    if (requests.length === 0) return;
    // An engine with throughput limits leaves items over. The embedded one never does.
    await pause(pauseMs);
  }
}
