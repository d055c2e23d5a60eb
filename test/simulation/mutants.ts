import type { Edit } from './loadService.ts';

type Mutant = {
  edits: Edit[];
  /** The scopes that are asked, in this order. */
  scopes: string[];
  /** Why no scope can tell it from the real code. */
  reasonToSurvive?: string;
};

const ids = 'lib/pets/petIds.ts';
const store = 'lib/pets/petStore.ts';
const once = 'lib/pets/idempotency.ts';
const pages = 'lib/pets/petPages.ts';
const cursor = 'lib/pets/cursor.ts';
const keys = 'lib/apiKeys/lookUpApiKey.ts';
const client = 'lib/dynamodb/client.ts';

const edit = (file: string, find: string, replace: string): Edit => ({ file, find, replace });

const paging = ['paging-cut', 'paging-damaged-item', 'paging-three-shards', 'paging-one-shard'];
const creating = ['no-key', 'one-instance', 'lost-calls', 'counter-back-one-key'];

/** Mistakes that someone could make in the code, by their name. */
export const mutants: Record<string, Mutant> = {
  'a pet is put without a condition': {
    edits: [edit(store, ', ConditionExpression: isFree', '')],
    scopes: ['counter-back-no-key', ...creating],
  },
  'the token is never equal': {
    edits: [edit(store, 'stored?.token === token', "stored?.token === ''")],
    scopes: creating,
  },
  'the token is always equal': {
    edits: [edit(store, 'stored?.token === token', 'stored')],
    scopes: ['counter-back-no-key'],
  },
  'the pet in the way is read weakly': {
    edits: [
      edit(
        store,
        'petKey(pet.id, partition) }, ConsistentRead: true',
        'petKey(pet.id, partition) }',
      ),
    ],
    scopes: creating,
  },
  'a pet is read weakly': {
    edits: [
      edit(store, 'petKey(id, partition) }, ConsistentRead: true', 'petKey(id, partition) }'),
    ],
    scopes: ['read-after-create'],
  },
  'an unknown failure counts as stored': {
    edits: [
      edit(
        store,
        'ConditionalCheckFailedException)) throw error',
        'ConditionalCheckFailedException)) return true',
      ),
    ],
    scopes: ['failed-calls', ...creating],
  },
  'a taken id is not replaced': {
    edits: [
      edit(store, "log('pet_id_taken', { petId: pet.id });\n    return false;", 'return true;'),
    ],
    scopes: ['counter-back-no-key'],
  },
  'pets go to all shards that lists read': {
    edits: [edit(store, 'BigInt(config.writeShards)', 'BigInt(config.shards)')],
    scopes: ['raising-shards'],
  },
  'a lease begins one id early': {
    edits: [edit(ids, 'lastId - count + 1n', 'lastId - count')],
    scopes: ['leases', ...creating],
  },
  'a lease ends one id late': {
    edits: [edit(ids, 'lease.nextId > lease.lastId', 'lease.nextId > lease.lastId + 1n')],
    scopes: ['leases'],
    reasonToSurvive:
      'The condition of the put refuses an id of another lease, and the request takes another one.',
  },
  'an id of a lease is used again': {
    edits: [edit(ids, 'lease.nextId += 1n', 'lease.nextId += 0n')],
    scopes: ['leases'],
    reasonToSurvive:
      'The condition of the put refuses a taken id, and the request takes another one. Only time is lost.',
  },
  'the counter may exceed int64': {
    edits: [edit(ids, 'lastId BETWEEN :min AND :max', 'lastId >= :min')],
    scopes: ['counter-exhausted'],
  },
  'the end of the counter forgets the length of a lease': {
    edits: [edit(ids, 'String(maxInt64 - count)', 'String(maxInt64)')],
    scopes: ['counter-exhausted'],
  },
  'a damaged counter counts as missing': {
    edits: [
      edit(
        ids,
        'attribute_not_exists(lastId) OR lastId BETWEEN :min AND :max',
        'attribute_not_exists(pk)',
      ),
    ],
    scopes: ['leases', 'no-key'],
  },
  'the record is read weakly': {
    edits: [edit(once, 'ConsistentRead: true', 'ConsistentRead: false')],
    scopes: ['end-of-24-hours'],
    reasonToSurvive:
      'The put of a record has a condition, so a request that read too early reads again. Only time is lost.',
  },
  'the record is put over a valid one': {
    edits: [edit(once, 'OR expiresAtEpochSeconds <= :now', 'OR expiresAtEpochSeconds > :now')],
    scopes: ['two-instances', 'one-instance'],
  },
  'an expired record is not replaced': {
    edits: [edit(once, ' OR expiresAtEpochSeconds <= :now', '')],
    scopes: ['after-24-hours'],
  },
  'an expired record is still used': {
    edits: [
      edit(
        once,
        'record && record.expiresAtEpochSeconds > nowEpochSeconds() ? record : undefined',
        'record',
      ),
    ],
    scopes: ['after-24-hours'],
  },
  'a record ends after 24 hours': {
    edits: [edit(once, 'const allowanceSeconds = 5 * 60', 'const allowanceSeconds = 1')],
    scopes: ['end-of-24-hours'],
  },
  'a record ends after 24 hours and 4 minutes': {
    edits: [edit(once, 'const allowanceSeconds = 5 * 60', 'const allowanceSeconds = 4 * 60')],
    scopes: ['end-of-24-hours'],
  },
  'a replay uses a fresh token': {
    edits: [edit(once, 'putNewPet(pet, record.token, ', 'putNewPet(pet, crypto.randomUUID(), ')],
    scopes: ['two-instances', 'one-instance'],
  },
  'the record is written after the pet': {
    edits: [
      edit(
        once,
        '?? (await reserve(scopedKey, fingerprint));',
        '?? (await reserve(scopedKey, fingerprint, newPet));',
      ),
      edit(
        once,
        'async function reserve(scopedKey: string, fingerprint: string)',
        'async function reserve(scopedKey: string, fingerprint: string, newPet?: NewPet)',
      ),
      edit(
        once,
        'const write = new PutCommand({',
        'if (newPet) await putNewPet({ id: record.petId, ...newPet }, record.token);\n  const write = new PutCommand({',
      ),
    ],
    scopes: ['two-instances', 'one-instance'],
  },
  'the id of any record with the token is changed': {
    edits: [edit(once, 'petId = :takenId AND #token = :token', '#token = :token')],
    scopes: ['counter-back-one-key', 'end-of-24-hours-taken-id'],
  },
  'the id of any record is changed': {
    edits: [edit(once, 'petId = :takenId AND #token = :token', 'attribute_exists(petId)')],
    scopes: ['counter-back-one-key', 'end-of-24-hours-taken-id'],
  },
  'the id of a record with another token is changed': {
    edits: [edit(once, 'petId = :takenId AND #token = :token', 'petId = :takenId')],
    scopes: ['end-of-24-hours-taken-id'],
    reasonToSurvive:
      'A record with another token has another id, unless the counter is set back twice within the time of one request.',
  },
  'the id is changed where there is no record': {
    edits: [
      edit(
        once,
        'petId = :takenId AND #token = :token',
        'attribute_not_exists(petId) OR petId = :takenId',
      ),
    ],
    scopes: ['end-of-24-hours-taken-id'],
  },
  'a refused change of the id is ignored': {
    edits: [
      edit(
        once,
        'async (error) =>\n      (await existingRecord(scopedKey, error)) ?? reserve(scopedKey, record.fingerprint),',
        '() => ({ ...record, petId }),',
      ),
    ],
    scopes: ['counter-back-one-key'],
  },
  'the time of a record with a new id goes on': {
    edits: [edit(once, "':expiresAt': newExpiry()", "':expiresAt': record.expiresAtEpochSeconds")],
    scopes: ['end-of-24-hours-taken-id'],
  },
  'the record of a faster request is ignored': {
    edits: [
      edit(
        once,
        'async (error) => (await existingRecord(scopedKey, error)) ?? reserve(scopedKey, fingerprint),',
        '() => record,',
      ),
    ],
    scopes: ['two-instances', 'one-instance'],
  },
  'a record that disappears is an error': {
    edits: [
      edit(
        once,
        '  return readRecord(scopedKey);\n',
        '  const record = await readRecord(scopedKey);\n  if (!record) throw error;\n  return record;\n',
      ),
    ],
    scopes: ['end-of-24-hours-taken-id'],
  },
  'another body is not noticed': {
    edits: [edit(once, 'record.fingerprint !== fingerprint', 'record.fingerprint === undefined')],
    scopes: ['other-body'],
  },
  'the key belongs to all API keys': {
    edits: [edit(once, 'scope.apiKeyId}#', "'any'}#")],
    scopes: ['two-api-keys'],
  },
  'the Idempotency-Key is ignored': {
    edits: [
      edit(
        'functions/createPet.ts',
        'const pet = idempotencyKey',
        'const pet = idempotencyKey === undefined',
      ),
    ],
    scopes: ['two-instances'],
  },
  'the cursor is one id too far': {
    edits: [
      edit(
        pages,
        'encodeCursor(BigInt(lastPet.id), list)',
        'encodeCursor(BigInt(lastPet.id) + 1n, list)',
      ),
    ],
    scopes: paging,
  },
  'the cursor is one id too near': {
    edits: [edit(cursor, 'writeBigInt64BE(lastId, 1)', 'writeBigInt64BE(lastId - 1n, 1)')],
    scopes: paging,
  },
  'a page begins with the last pet of the page before': {
    edits: [edit(pages, 'id > :afterId', 'id >= :afterId')],
    scopes: paging,
  },
  'a cut page ends the list': {
    edits: [
      edit(
        pages,
        'found.length > limit || shards.some(({ isCut }) => isCut)',
        'found.length > limit',
      ),
    ],
    scopes: paging,
  },
  'pets beyond the limit end the list': {
    edits: [
      edit(
        pages,
        'found.length > limit || shards.some(({ isCut }) => isCut)',
        'shards.some(({ isCut }) => isCut)',
      ),
    ],
    scopes: paging,
  },
  'a cut page is not continued': {
    edits: [edit(pages, 'while (startKey && pets.length < limit)', 'while (startKey === null)')],
    scopes: paging,
  },
  'a cut page begins again': {
    edits: [edit(pages, 'ExclusiveStartKey: startKey', 'ExclusiveStartKey: undefined')],
    scopes: paging,
  },
  'shards are not sorted': {
    edits: [edit(pages, '.sort(byId)', '')],
    scopes: paging,
  },
  'ids are sorted as texts': {
    edits: [edit(pages, 'a.length - b.length || ', '')],
    scopes: paging,
  },
  'lists read the shards that are written': {
    edits: [edit(pages, 'length: config.shards', 'length: config.writeShards')],
    scopes: ['raising-shards'],
  },
  'a key is remembered for two minutes': {
    edits: [edit(keys, 'cachedForMs = 60_000', 'cachedForMs = 120_000')],
    scopes: ['revocation'],
  },
  'the cache of a key begins at the response': {
    edits: [edit(keys, 'untilMs: requestedAtMs', 'untilMs: Date.now()')],
    scopes: ['revocation'],
  },
  'a key is read weakly': {
    edits: [edit(keys, 'ConsistentRead: true', 'ConsistentRead: false')],
    scopes: ['revocation'],
  },
  'a revoked key is valid': {
    edits: [
      edit('lib/apiKeys/apiKey.ts', 'if (revokedAtEpochSeconds !== undefined) return false;', ''),
    ],
    scopes: ['revocation'],
  },
  'a call is not retried': {
    edits: [edit(client, 'maxAttempts: 3', 'maxAttempts: 1')],
    scopes: ['failed-calls'],
  },
  'an unavailable store is an internal error': {
    edits: [edit(client, 'isUnavailability(error) ? unavailable(error) : error', 'error')],
    scopes: ['failed-calls', 'no-key'],
  },
};
