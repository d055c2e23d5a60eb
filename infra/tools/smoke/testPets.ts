import { randomUUID } from 'node:crypto';
import { stringifyExactJson } from '../../../lib/exactJson.ts';
import type { Answer } from './Answer.ts';
import { CheckSkipped } from './Check.ts';

/**
 * Nothing removes a pet from the store, so those of a run stay: few, named, and of the one status
 * that neither a customer (`available`) nor a clerk (`pending`) acts upon.
 */
export const testPetStatus = 'sold';

export type TestPet = {
  name: string;
  categoryId: bigint;
  idempotencyKey: string;
  /** The 201, once there is one. */
  added?: Answer;
};

export type TestPets = { largest: TestPet; smallest: TestPet; unsafe: TestPet };

/** The pets of one run, each with a `categoryId` that a double cannot hold. */
export function makeTestPets(startedAt: Date): TestPets {
  const name = testPetName(startedAt);
  return {
    largest: makeTestPet(`${name} largest`, 2n ** 63n - 1n),
    smallest: makeTestPet(`${name} smallest`, -(2n ** 63n)),
    // What is easily lost on the way: quotes, a line's end, and what takes 1 to 4 bytes in UTF-8.
    unsafe: makeTestPet(`${name} unsafe "\\\n é 犬 🐾`, 2n ** 53n + 1n),
  };
}

/** What the names of a run's pets begin with. */
export function testPetName(startedAt: Date): string {
  return `smoke-test ${startedAt.toISOString()}`;
}

export function newPetOf({ name, categoryId }: TestPet) {
  return { name, categoryId, status: testPetStatus };
}

export function bodyOf(pet: TestPet): string {
  return stringifyExactJson(newPetOf(pet));
}

/** The 201 of a pet; throws a `CheckSkipped` where it was not added. */
export function addedAnswer({ added }: TestPet): Answer {
  if (added === undefined) throw new CheckSkipped('its pet was not added');
  return added;
}

export function idOf(pet: TestPet): bigint {
  return (addedAnswer(pet).json as { id: bigint }).id;
}

function makeTestPet(name: string, categoryId: bigint): TestPet {
  return { name, categoryId, idempotencyKey: `smoke-test-${randomUUID()}` };
}
