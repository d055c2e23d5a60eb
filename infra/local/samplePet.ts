import type { Pet, PetStatus } from '../../lib/schemas.ts';

const givenNames = [
  ...['Rex', 'Bella', 'Biscuit', 'Captain', 'Daisy', 'Ginger', 'Luna', 'Milo', 'Mochi', 'Nala'],
  ...['Oscar', 'Pepper', 'Pickles', 'Pixel', 'Rosie', 'Socks', 'Tofu', 'Waffles', 'Ziggy', 'Fern'],
  ...['Ægir', 'Åsa', 'Børge', 'Çiçek', 'Élodie', 'Fjóla', 'Łatka', 'Ñandú', 'Šárka', 'Zoë'],
  ...['Мурка', 'Ελπίδα', 'مشمش', 'רקסי', 'नीलू', '小白', 'タマ', '초코', 'น้ำตาล', '🐾 Patches'],
];

/** Half of the pets have no byname. */
const bynames = [
  ...['', '', '', '', ''],
  ...[' the Bold', ' the Brave', ' the Sleepy', " O'Paw", ' von Fluff'],
];

/** 70 % available, 10 % pending, 20 % sold. */
const statuses: PetStatus[] = [
  ...Array<PetStatus>(7).fill('available'),
  'pending',
  ...Array<PetStatus>(2).fill('sold'),
];

/** A few categories hold most of the pets. */
const categoryIds = [1n, 1n, 1n, 1n, 2n, 2n, 2n, 3n, 3n, 4n, 5n, 6n, 7n, 8n, 12n, 40n];

/** Returns the sample pet of an id: the same pet on every machine and in every run. */
export function samplePet(id: bigint): Pet {
  const pick = picker(id);
  return {
    id,
    name: `${pick(givenNames)}${pick(bynames)}`,
    categoryId: pick(categoryIds),
    status: pick(statuses),
  };
}

/** Picks from lists by mulberry32, a small generator that spreads neighbouring seeds well. */
function picker(seed: bigint) {
  let state = Number(BigInt.asUintN(32, seed));
  return function pick<T>(list: readonly T[]): T {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    const index = ((mixed ^ (mixed >>> 14)) >>> 0) % list.length;
    return list[index] as T;
  };
}
