import type { TestContext } from 'vitest';
import { type Received, send } from './send.ts';
import { service, skipUnlessPetsMayBeAdded } from './serviceUnderTest.ts';
import { expectStatus } from './universalRules.ts';

/** The prefix of the names of a run's pets. Nothing removes a pet, so its name says what it is. */
export const petNamePrefix = `smoke-test ${new Date(service.startedAtMs).toISOString()}`;

export type SamplePet = { name: string; categoryId: bigint; status: string };

/** Sold pets: they are neither offered (`available`) nor reserved (`pending`). */
const sold = (name: string, categoryId: bigint): SamplePet => ({
  name: `${petNamePrefix} ${name}`,
  categoryId,
  status: 'sold',
});

/** The pets that a run leaves in a deployment. Each `categoryId` is more than a double can hold. */
export const samplePets = {
  largest: sold('largest', 2n ** 63n - 1n),
  smallest: sold('smallest', -(2n ** 63n)),
  raced: sold('raced', -(2n ** 53n) - 1n),
  // Easily lost on the way: quotes, white space at the end, markup, a null, and characters of 1 to 4
  // bytes in UTF-8. The accents must stay decomposed.
  odd: sold(`odd "\\' <b>\n\0 \uFEFF é e\u0301 犬 🐾 __proto__ \t`, 2n ** 53n + 1n),
};

export const sampleKey = (name: keyof typeof samplePets) => `smoke-test-${service.runId}-${name}`;

/** Writes a pet as JSON, with every digit of its `categoryId`. */
export function bodyOf({ name, categoryId, status }: SamplePet): string {
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}

/**
 * Adds a sample pet, or gets the same 201 again.
 *
 * All tests share the sample pets by their Idempotency-Keys. Skips the test in read-only mode.
 */
export async function addSamplePet(
  context: TestContext,
  name: 'largest' | 'odd',
): Promise<Received> {
  skipUnlessPetsMayBeAdded(context, 'few');
  const headers = { 'Idempotency-Key': sampleKey(name) };
  const added = await send('POST', '/pets', { headers, body: bodyOf(samplePets[name]) });
  expectStatus(added, 201);
  return added;
}
