import { hash } from 'node:crypto';
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
  const bytes = hash('sha256', String(id), 'buffer').values();
  const pick = <T>(list: readonly T[]) => list[Number(bytes.next().value) % list.length] as T;
  return {
    id,
    name: `${pick(givenNames)}${pick(bynames)}`,
    categoryId: pick(categoryIds),
    status: pick(statuses),
  };
}
