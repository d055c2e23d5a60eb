import assert from 'node:assert/strict';
import type { RawEvent } from '../../../lib/http/event.ts';
import { benchPet, rarePets, rareStatus } from './benchPet.ts';
import type { MeasuredRequest } from './measuredRequests.ts';

/** Lets nothing be timed that does not do the work: each answer has the pets that it must have. */
export function checkAnswer(
  kind: MeasuredRequest,
  event: RawEvent,
  text: string,
  petCount: number,
): void {
  const pets = JSON.parse(`[${text}]`).flat() as { id: number; status: string }[];
  const wanted = (ids: number[]) => ids.map((id) => shown(benchPet(BigInt(id), petCount)));
  const ids = pets.map(({ id }) => id);
  switch (kind) {
    case 'createPet':
    case 'createPet with an Idempotency-Key':
      assert.equal(pets[0]?.status, 'available');
      assert((ids[0] ?? 0) > petCount, text);
      return;
    case 'getPet':
      assert.deepEqual(pets, wanted([Number(event.pathParameters?.petId)]));
      return;
    case 'listPets, the first page':
      assert.deepEqual(pets, wanted(range(1, 20)));
      return;
    case 'listPets, the first page of 100':
      assert.deepEqual(pets, wanted(range(1, 100)));
      return;
    case 'listPets, deep in the pages':
      assert((ids[0] ?? 0) > petCount / 2, text);
      assert.deepEqual(pets, wanted(range(ids[0] ?? 0, 20)));
      return;
    case 'listPets of one status, deep':
      assert.equal(ids.length, 20);
      assert((ids[0] ?? 0) > petCount / 2, text);
      assert.deepEqual(
        pets,
        wanted(range(ids[0] ?? 0, (ids.at(-1) ?? 0) - (ids[0] ?? 0) + 1)).filter(
          ({ status }) => status === 'sold',
        ),
      );
      return;
    case 'listPets of a rare status': {
      const step = petCount / rarePets;
      assert.deepEqual(pets, wanted(range(1, 20).map((n) => (rarePets / 4 + n) * step)));
      assert(pets.every(({ status }) => status === rareStatus));
    }
  }
}

function range(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, n) => first + n);
}

function shown({ id, name, categoryId, status }: ReturnType<typeof benchPet>) {
  return { id: Number(id), name, categoryId: Number(categoryId), status };
}
