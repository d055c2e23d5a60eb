import type { Answer } from './Answer.ts';
import type { Check } from './Check.ts';
import { expectEqual, expectError, expectHeader, expectStatus } from './expectations.ts';
import type { Service } from './openService.ts';
import { addedAnswer, bodyOf, type TestPet, type TestPets, testPetStatus } from './testPets.ts';

/** The service's limit of a body. */
const maxBodyBytes = 64 * 1024;

/**
 * Sends a pet that was added again, with its Idempotency-Key, in every form that is accepted and in
 * those that are not: so none of them adds another.
 */
export function repeatedPetChecks({ send }: Service, { largest: pet }: TestPets): Check[] {
  const body = bodyOf(pet);
  // Skipped where there is no pet to repeat, or the first form that is accepted would add it.
  async function repeat(sentBody: string | Uint8Array<ArrayBuffer>, mediaType?: string) {
    addedAnswer(pet);
    const headers = {
      'Idempotency-Key': pet.idempotencyKey,
      ...(mediaType && { 'Content-Type': mediaType }),
    };
    return send('POST', '/pets', { headers, body: sentBody });
  }

  const accepted: [string, () => Promise<Answer>][] = [
    ['sent again with its Idempotency-Key', () => repeat(body)],
    ['in another spelling, with a member that does not count', () => repeat(respelt(pet))],
    [
      'as application/*+json with a parameter',
      () => repeat(body, 'application/vnd.petstore+json; charset=utf-8'),
    ],
    ['without a Content-Type', () => repeat(new TextEncoder().encode(body))],
    ['in a body of exactly 64 KiB', () => repeat(body.padEnd(maxBodyBytes))],
  ];
  return [
    ...accepted.map(([how, repeatPet]) => ({
      title: `createPet answers the same 201 for a pet ${how}`,
      async run() {
        const answer = await repeatPet();
        const added = addedAnswer(pet);
        expectStatus(answer, 201);
        expectEqual(answer, 'the pet', answer.json, added.json);
        expectHeader(answer, 'Location', added.headers.get('Location'));
      },
    })),
    {
      title: 'createPet answers 422 where an Idempotency-Key comes with another pet',
      async run() {
        const answer = await repeat(bodyOf({ ...pet, categoryId: 7n }));
        expectError(answer, 422, 'idempotency_key_reused');
      },
    },
    {
      title: 'createPet answers 413 for a body of more than 64 KiB',
      async run() {
        expectError(await repeat(body.padEnd(maxBodyBytes + 1)), 413, 'payload_too_large');
      },
    },
    {
      title: 'createPet answers 415 for a body that is not declared as JSON',
      async run() {
        const answer = await repeat(body, 'text/plain');
        expectError(answer, 415, 'unsupported_media_type', [/application\/json/]);
      },
    },
  ];
}

/** The same pet: another order, an integer with a fraction of zero, a member too many. */
function respelt({ name, categoryId }: TestPet): string {
  return `{"note":[1.5],"status":"${testPetStatus}","categoryId":${categoryId}.0,"name":${JSON.stringify(name)}}`;
}
