import { hash } from 'node:crypto';
import { ApiError } from '../errors.ts';
import { stringifyExactJson } from '../exactJson.ts';
import type { Log } from '../logging.ts';
import type { NewPet } from '../schemas.ts';
import {
  addRecord,
  changePetId,
  type IdempotencyRecord,
  readValidRecord,
} from './idempotencyRecord.ts';
import { nextPetId, nextPetIdBeyond } from './petIds.ts';
import { type AddedPet, putNewPet } from './petStore.ts';

/** An Idempotency-Key and the API key that it belongs to. */
type Scope = { apiKeyId: string; idempotencyKey: string };

/**
 * Stores a new pet once for all calls with the same key within 24 hours.
 *
 * The record with the pet's id and token is written before the pet. So a concurrent request, or one
 * after a crash, writes the same item under the same id. Throws `idempotency_key_reused` if the key
 * was used for another pet.
 */
export async function addPetOnce(
  newPet: NewPet,
  { apiKeyId, idempotencyKey }: Scope,
  log: Log,
): Promise<AddedPet> {
  const scopedKey = `${apiKeyId}#${idempotencyKey}`;
  const fingerprint = fingerprintOf(newPet);
  let record = (await readValidRecord(scopedKey)) ?? (await reserve(scopedKey, fingerprint));
  for (let step = 2n; ; step *= 2n) {
    if (record.fingerprint !== fingerprint) {
      throw new ApiError(
        'idempotency_key_reused',
        'This Idempotency-Key was used for another body within 24 hours: send a new key with a new body.',
      );
    }
    const pet = await putNewPet({ id: record.petId, ...newPet }, record.token, log);
    if (pet) return pet;
    // Another pet has the id: the counter was set back.
    const petId = await nextPetIdBeyond(step);
    record = (await changePetId(record, petId)) ?? (await reserve(scopedKey, fingerprint));
  }
}

/** Writes the record of a new key, or returns the record of a faster request. */
async function reserve(scopedKey: string, fingerprint: string): Promise<IdempotencyRecord> {
  const petId = await nextPetId();
  return (await addRecord({ scopedKey, petId, fingerprint })) ?? reserve(scopedKey, fingerprint);
}

/**
 * Hashes the validated body: the order of members or an omitted default make no difference.
 *
 * Records of earlier releases must stay valid. So a later field counts only if the request has it.
 */
function fingerprintOf({ name, categoryId, status, ...laterFields }: NewPet): string {
  const fields = [name, categoryId, status, ...Object.entries(laterFields)];
  return hash('sha256', stringifyExactJson(fields), 'hex');
}
