import assert from 'node:assert/strict';
import { localStage } from '../../infra/local/localStage.ts';
import { defineCommand, runCommand, wholeNumber } from '../../infra/tools/command.ts';
import { encodeCursor } from '../../lib/pets/cursor.ts';
import { printReport, showRound } from './report.ts';
import { newPet, type Service, startService } from './startService.ts';
import { median, quantile, slope } from './stats.ts';

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
  // Of each kind and round, the times in the stores.
  const timesMs = new Map(Object.keys(kinds).map((kind): [string, number[][]] => [kind, []]));
  // Round 0 warms up and does not count.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [kind, request] of Object.entries(kinds)) {
      const medians: number[] = [];
      // The stores take turns, so that disturbances of the machine affect all of them.
      for (const store of stores) {
        medians.push(await medianMs(request, store, round === 0 ? warmUpCount : requestCount));
      }
      if (round > 0) timesMs.get(kind)?.push(medians);
    }
    showRound(round, rounds);
  }
  for (const { stop } of stores) await stop();
  report(sizes, timesMs, rounds);
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

/** The medians of all rounds, and their growth with each power of ten. */
function report(
  sizes: readonly number[],
  timesMs: ReadonlyMap<string, number[][]>,
  roundCount: number,
): void {
  const logarithms = sizes.map(Math.log10);
  const rows = [...timesMs].map(([kind, rounds]) => {
    // The growth in each round, as a share of its mean.
    const slopes = rounds.map((round) => {
      const mean = round.reduce((sum, ms) => sum + ms, 0) / round.length;
      return slope(round.map((ms, size) => [logarithms[size] ?? Number.NaN, ms / mean]));
    });
    return [
      kind,
      ...sizes.map((_, size) => median(rounds.map((round) => round[size] ?? NaN)).toFixed(2)),
      percent(median(slopes)),
      `${percent(quantile(slopes, 0.25))} to ${percent(quantile(slopes, 0.75))}`,
    ];
  });
  const heads = sizes.map((size) => `ms at ${size.toLocaleString('en')} pets`);
  const head = ['Request', ...heads, 'Slope', 'Middle half of the slopes'];
  printReport(`Medians of ${roundCount} rounds`, head, rows);
}

function percent(share: number): string {
  return `${share > 0 ? '+' : ''}${(100 * share).toFixed(1)} %`;
}

if (import.meta.main) await runCommand(scale);
