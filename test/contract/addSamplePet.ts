import type { TestContext } from 'vitest';
import { bodyOf, sampleKey, samplePets } from './petResource.ts';
import { expectStatus, type Received, send } from './send.ts';
import { skipUnlessPetsMayBeAdded } from './serviceUnderTest.ts';

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
