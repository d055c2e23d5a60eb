import { inFile, type Mutant } from './Mutant.ts';

export const retryMutants: Record<string, Mutant> = {
  ...inFile('lib/pets/idempotency.ts', {
    'the record is read weakly': {
      find: 'ConsistentRead: true',
      replace: 'ConsistentRead: false',
      scopes: ['after-24-hours'],
    },
    'the record is put over a valid one': {
      find: 'OR expiresAtEpochSeconds <= :now',
      replace: 'OR expiresAtEpochSeconds > :now',
      scopes: ['two-instances', 'one-instance'],
    },
    'an expired record is not replaced': {
      find: ' OR expiresAtEpochSeconds <= :now',
      replace: '',
      scopes: ['after-24-hours'],
    },
    'an expired record is still used': {
      find: 'record && record.expiresAtEpochSeconds > nowEpochSeconds() ? record : undefined',
      replace: 'record',
      scopes: ['after-24-hours'],
    },
    'a record ends after 24 hours and 4 minutes': {
      find: 'const allowanceSeconds = 5 * 60',
      replace: 'const allowanceSeconds = 4 * 60',
      scopes: ['end-of-24-hours'],
    },
    'a replay uses a fresh token': {
      find: 'putNewPet(pet, record.token, scope.petKeyPrefix)',
      replace: 'putNewPet(pet, crypto.randomUUID(), scope.petKeyPrefix)',
      scopes: ['two-instances', 'one-instance'],
    },
    'the record is written after the pet': {
      find: 'let record = (await validRecord(scopedKey)) ?? (await reserve(scopedKey, fingerprint));',
      replace: `const plan = {
          petId: await nextPetId(), token: crypto.randomUUID(), fingerprint, expiresAtEpochSeconds: newExpiry(),
        };
        const found = await validRecord(scopedKey);
        if (!found) {
          await putNewPet({ id: plan.petId, ...newPet }, plan.token, scope.petKeyPrefix);
          await documentClient().send(new PutCommand({ TableName, Item: { scopedKey, ...plan } }));
        }
        let record = found ?? plan;`,
      scopes: ['two-instances', 'one-instance'],
    },
    'the id of any record with the token is changed': {
      find: 'petId = :takenId AND #token = :token',
      replace: '#token = :token',
      scopes: ['counter-back-one-key', 'end-of-24-hours-taken-id'],
    },
    'the id of a record with another token is changed': {
      find: 'petId = :takenId AND #token = :token',
      replace: 'petId = :takenId',
      scopes: ['end-of-24-hours-taken-id'],
      reasonToSurvive:
        'A record with another token has another id, unless the counter is set back twice within the time of one request.',
    },
    'the id is changed where there is no record': {
      find: 'petId = :takenId AND #token = :token',
      replace: 'attribute_not_exists(petId) OR petId = :takenId',
      scopes: ['end-of-24-hours-taken-id'],
    },
    'a refused change of the id is ignored': {
      find: 'return (await existingRecord(scopedKey, error)) ?? reserve(scopedKey, record.fingerprint);',
      replace: 'return { ...record, petId };',
      scopes: ['counter-back-one-key'],
    },
    'the time of a record with a new id goes on': {
      find: "':expiresAt': newExpiry()",
      replace: "':expiresAt': record.expiresAtEpochSeconds",
      scopes: ['end-of-24-hours-taken-id'],
    },
    'the record of a faster request is ignored': {
      find: 'return (await existingRecord(scopedKey, error)) ?? reserve(scopedKey, fingerprint);',
      replace: 'return record;',
      scopes: ['two-instances', 'one-instance'],
    },
    'a record that disappears is an error': {
      find: '  return readRecord(scopedKey);\n',
      replace:
        '  const record = await readRecord(scopedKey);\n  if (!record) throw error;\n  return record;\n',
      scopes: ['end-of-24-hours-taken-id'],
    },
    'another body is not noticed': {
      find: 'record.fingerprint !== fingerprint',
      replace: 'record.fingerprint === undefined',
      scopes: ['other-body'],
    },
    'the key belongs to all API keys': {
      find: 'scope.apiKeyId}#',
      replace: "'any'}#",
      scopes: ['two-api-keys'],
    },
  }),
  ...inFile('functions/createPet.ts', {
    'the Idempotency-Key is ignored': {
      find: 'const pet = idempotencyKey',
      replace: 'const pet = idempotencyKey === undefined',
      scopes: ['two-instances'],
    },
  }),
};
