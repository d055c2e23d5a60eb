import type { Answer } from './Answer.ts';
import type { Check } from './Check.ts';
import { expectEqual, expectStatus, expectThat } from './expectations.ts';
import type { Service } from './openService.ts';
import { addedAnswer, bodyOf, idOf, newPetOf, type TestPet, type TestPets } from './testPets.ts';

/**
 * Adds the pets of the run.
 *
 * That an omitted status becomes `available` is left to other tests: customers would see that pet
 * for ever.
 */
export function createPetChecks({ send, pathOf }: Service, pets: TestPets): Check[] {
  const { largest, smallest, unsafe } = pets;
  const add = (pet: TestPet, headers: Record<string, string> = {}) =>
    send('POST', '/pets', { headers, body: bodyOf(pet) });
  const addOnce = (pet: TestPet) => add(pet, { 'Idempotency-Key': pet.idempotencyKey });

  return [
    {
      title: 'createPet answers 201 with the pet as sent, the largest int64 exact',
      async run() {
        const answer = await addOnce(largest);
        expectPet(answer, largest);
        largest.added = answer;
      },
    },
    {
      title: 'createPet keeps the smallest int64 exact, without an Idempotency-Key',
      async run() {
        const answer = await add(smallest);
        expectPet(answer, smallest);
        smallest.added = answer;
      },
    },
    {
      title: 'createPet adds one pet where two requests with one Idempotency-Key race',
      async run() {
        const [answer, other] = await Promise.all([addOnce(unsafe), addOnce(unsafe)]);
        for (const each of [answer, other]) expectStatus(each, 201);
        expectEqual(other, 'the pet of both,', other.json, answer.json);
        unsafe.added = answer;
      },
    },
    {
      title: 'createPet keeps 2^53 + 1 exact, and every character of a name',
      async run() {
        expectPet(addedAnswer(unsafe), unsafe);
      },
    },
    {
      title: 'createPet gives the Location of the pet, which getPet answers at once',
      async run() {
        for (const pet of [largest, smallest, unsafe]) {
          const added = addedAnswer(pet);
          const path = pathOf(added.headers.get('Location') ?? 'no Location', added);
          expectEqual(added, 'the Location', path, `/pets/${idOf(pet)}`);
          const answer = await send('GET', path);
          expectStatus(answer, 200);
          expectEqual(answer, 'the pet', answer.json, added.json);
        }
      },
    },
  ];
}

function expectPet(answer: Answer, pet: TestPet): void {
  expectStatus(answer, 201);
  const { id, ...others } = (answer.json ?? {}) as Record<string, unknown>;
  expectEqual(answer, 'the pet', others, newPetOf(pet));
  expectThat(answer, typeof id === 'bigint' && id > 0n, 'an id from 1 on', id);
}
