import { hash, randomUUID } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { config } from '../lib/config.ts';
import { dynamoDb } from '../lib/dynamodb/client.ts';
import { advanceCounter } from '../lib/dynamodb/ids.ts';
import { toPetItem } from '../lib/pets/petStore.ts';
import type { Pet } from '../lib/schemas.ts';

const names = "Rex Bella O'Paw Élodie Łatka Мурка Ελπίδα مشمش רקסי नीलू 小白 タマ 초코 🐾".split(
  ' ',
);
const categoryIds = [1n, 1n, 1n, 2n, 2n, 3n, 5n, 8n, 40n];
const statuses = [...Array(7).fill('available'), 'pending', 'sold', 'sold'] as Pet['status'][];

/** Returns the sample pet of an id: the same pet on every machine and in every run. */
function samplePet(id: bigint): Pet {
  const bytes = hash('sha256', String(id), 'buffer').values();
  const pick = <T>(list: readonly T[]) => list[Number(bytes.next().value) % list.length] as T;
  return { id, name: pick(names), categoryId: pick(categoryIds), status: pick(statuses) };
}

/** DynamoDB's limit for a BatchWriteItem. */
const maxBatchItems = 25;

/**
 * Adds sample pets to the store. Yields after each batch how many it has added.
 *
 * It reserves all ids before it writes. So other pets may be created at the same time, and a seeding
 * that is killed leaves a gap in the ids.
 */
export async function* seedPets(count: number): AsyncGenerator<number> {
  const lastId = await advanceCounter('pets', BigInt(count), {
    abortSignal: new AbortController().signal,
  });
  const token = randomUUID();
  for (let left = count; left > 0; left -= maxBatchItems) {
    const batch = Array.from({ length: Math.min(left, maxBatchItems) }, (_, n) => {
      const Item = toPetItem(samplePet(lastId - BigInt(left - n - 1)), token);
      return { PutRequest: { Item } };
    });
    // The embedded engine never returns unprocessed items.
    const RequestItems = { [config().tableNames.pets]: batch };
    await dynamoDb().send(new BatchWriteCommand({ RequestItems }));
    yield count - left + batch.length;
  }
}
