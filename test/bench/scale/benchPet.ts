import { samplePet } from '../../../infra/local/samplePet.ts';
import type { Pet, PetStatus } from '../../../lib/schemas.ts';

/** The status that a few pets have, as many in a large store as in a small one. */
export const rareStatus: PetStatus = 'pending';
export const rarePets = 40;

/** The pets of a store of `petCount`: made up, with the rare ones spread over all of the ids. */
export function benchPet(id: bigint, petCount: number): Pet {
  const pet = samplePet(id);
  if (id % BigInt(petCount / rarePets) === 0n) return { ...pet, status: rareStatus };
  return pet.status === rareStatus ? { ...pet, status: 'available' } : pet;
}
