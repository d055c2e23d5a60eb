import { setTimeout as pause } from 'node:timers/promises';
import { BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { config } from '../../lib/config.ts';
import { dynamoDbClient } from '../../lib/dynamodb/client.ts';
import { petItem } from '../../lib/pets/petStore.ts';
import { madeUpPet } from './madeUpPet.ts';
import { type PetIdRange, takePetIds } from './takePetIds.ts';

export type SeedProgress = { writtenPets: number; totalPets: number; elapsedMs: number };

type Seeding = {
  /** Ends the seeding after the batches that are under way. */
  stop: AbortSignal;
  onProgress: (progress: SeedProgress) => void;
};

type Item = ReturnType<typeof petItem>;

/** DynamoDB's limit. */
const maxBatchItems = 25;

/**
 * How many batches are under way at once.
 *
 * The embedded database and the SDK share a thread, so it makes no difference there: 1 to 16 took the
 * same time. Another engine is asked for several at once, and for no more than it can take.
 */
const concurrentBatches = 4;

/**
 * Adds made-up pets to the store.
 *
 * Their ids are taken from the counter before the first pet is written, so a seeding that ends early
 * leaves a gap and nothing else, and pets may be created beside it. Returns how far it came.
 */
export async function seedPets(
  totalPets: number,
  { stop, onProgress }: Seeding,
): Promise<SeedProgress> {
  const startedAtMs = performance.now();
  let writtenPets = 0;
  const progress = () => ({
    writtenPets,
    totalPets,
    elapsedMs: performance.now() - startedAtMs,
  });
  onProgress(progress());

  const batches = petBatches(await takePetIds(BigInt(totalPets)));
  async function writeBatches() {
    // All writers draw from one generator. It closes when one of them leaves, and ends the others.
    for (const batch of batches) {
      if (stop.aborted) return;
      await writeBatch(batch);
      writtenPets += batch.length;
      onProgress(progress());
    }
  }
  await Promise.all(Array.from({ length: concurrentBatches }, writeBatches));
  return progress();
}

function* petBatches({ firstId, lastId }: PetIdRange): Generator<Item[]> {
  const token = crypto.randomUUID();
  let batch: Item[] = [];
  for (let id = firstId; id <= lastId; id += 1n) {
    batch.push(petItem(madeUpPet(id), token));
    if (batch.length < maxBatchItems && id < lastId) continue;
    yield batch;
    batch = [];
  }
}

async function writeBatch(items: Item[]): Promise<void> {
  const TableName = config.petsTableName;
  let requests: WriteRequest[] = items.map((Item) => ({ PutRequest: { Item } }));
  for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, 5_000)) {
    const { UnprocessedItems } = await dynamoDbClient.send(
      new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }),
    );
    requests = UnprocessedItems?.[TableName] ?? [];
    if (requests.length === 0) return;
    // An engine with limits asks for patience by what it leaves over; the embedded one never does.
    await pause(pauseMs);
  }
}
