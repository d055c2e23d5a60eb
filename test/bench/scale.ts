import assert from 'node:assert/strict';
import { localStage } from '../../infra/local/localStage.ts';
import { defineCommand, runCommand, wholeNumber } from '../../infra/tools/command.ts';
import { encodeCursor } from '../../lib/pets/cursor.ts';
import { printReport, showRound } from './report.ts';
import { newPet, type Service, startService } from './startService.ts';
import { median } from './stats.ts';

/** After this many requests of a kind, V8 has compiled the code. */
const warmUpCount = 200;

/** Of a kind, in each round and store. */
const requestCount = 20;

const storeSize = wholeNumber(1_000, 1_000_000);

export const scale = defineCommand(
  'bench:scale',
  'Times each operation in stores of several sizes.',
)
  .option(
    '--sizes <list>',
    'pets in the stores, 1000 to 1000000',
    (text) => text.split(',').map(storeSize),
    [1_000, 100_000, 1_000_000],
  )
  .option('--rounds <number>', 'rounds, each with every store', wholeNumber(1, 9_999), 30)
  .action(measureGrowth);

type Store = Service & { petCount: number };
type Send = (store: Store) => Promise<Response>;

/** The median of the requests of a kind in one round. */
type Time = { kind: string; petCount: number; ms: number };

/** The next request of each kind. Consecutive requests ask for different pets. */
const kinds: Record<string, Send> = {
  createPet: ({ send }) => send('/pets', newPet()),
  'createPet with an Idempotency-Key': ({ send }) => send('/pets', newPet(crypto.randomUUID())),
  getPet: (store) => store.send(`/pets/${idIn(store, 0, 1)}`),
  'listPets, the first page': ({ send }) => send('/pets'),
  'listPets, the first page of 100': ({ send }) => send('/pets?limit=100'),
  'listPets, deep in the pages': (store) => store.send(`/pets?cursor=${deepCursor(store)}`),
  'listPets of one status, deep': (store) =>
    store.send(`/pets?status=sold&cursor=${deepCursor(store, 'sold')}`),
};

function deepCursor(store: Store, status?: 'sold'): string {
  return encodeCursor(BigInt(idIn(store, 0.5, 0.8)), { stage: localStage.name, status });
}

let idCount = 0;

/** An id in a part of the store. */
function idIn({ petCount }: Store, from: number, to: number): number {
  idCount += 1;
  // Multiples of the golden ratio are spread evenly and never repeat.
  const share = (idCount * 0.618033988749895) % 1;
  return Math.ceil((from + (to - from) * share) * petCount);
}

async function measureGrowth({ sizes, rounds }: ReturnType<typeof scale.opts>): Promise<void> {
  const stores: Store[] = [];
  for (const petCount of sizes) {
    process.stderr.write(`Building a store of ${petCount} pets\n`);
    stores.push({ ...(await startService(petCount)), petCount });
  }
  const times: Time[] = [];
  // Round 0 warms up and does not count.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [kind, request] of Object.entries(kinds)) {
      // The stores take turns, so that disturbances of the machine affect all of them.
      for (const store of stores) {
        const ms = await medianMs(request, store, round === 0 ? warmUpCount : requestCount);
        if (round > 0) times.push({ kind, petCount: store.petCount, ms });
      }
    }
    showRound(round, rounds);
  }
  for (const { stop } of stores) await stop();
  report(sizes, times, rounds);
}

async function medianMs(request: Send, store: Store, count: number): Promise<number> {
  const durationsMs: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const startedAtMs = performance.now();
    const response = await request(store);
    const text = await response.text();
    durationsMs.push(performance.now() - startedAtMs);
    assert(response.ok && text !== '[]', text);
  }
  return median(durationsMs);
}

function report(sizes: readonly number[], times: readonly Time[], rounds: number): void {
  const medianOf = (kind: string, petCount: number) =>
    median(
      times.filter((time) => time.kind === kind && time.petCount === petCount).map(({ ms }) => ms),
    );
  const heads = sizes.map((size) => `ms at ${size.toLocaleString('en')} pets`);
  const rows = Object.keys(kinds).map((kind) => [
    kind,
    ...sizes.map((size) => medianOf(kind, size).toFixed(2)),
  ]);
  printReport(`Medians of ${rounds} rounds`, ['Request', ...heads], rows);
}

if (import.meta.main) await runCommand(scale);
