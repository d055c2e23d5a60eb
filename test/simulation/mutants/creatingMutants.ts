import { inFile, type Mutant } from './Mutant.ts';

const creating = ['no-key', 'one-instance', 'lost-calls', 'counter-back-one-key'];

export const creatingMutants: Record<string, Mutant> = {
  ...inFile('lib/pets/petIds.ts', {
    'a lease begins one id early': {
      find: 'lastId - count + 1n',
      replace: 'lastId - count',
      scopes: ['leases', ...creating],
    },
    'a lease ends one id late': {
      find: 'lease.nextId > lease.lastId',
      replace: 'lease.nextId > lease.lastId + 1n',
      scopes: ['leases'],
      reasonToSurvive:
        'The condition of the put refuses an id of another lease, and the request takes another one.',
    },
    'an id of a lease is used again': {
      find: 'lease.nextId += 1n',
      replace: 'lease.nextId += 0n',
      scopes: ['leases'],
      reasonToSurvive:
        'The condition of the put refuses a taken id, and the request takes another one. Only time is lost.',
    },
    'the end of the counter forgets the length of a lease': {
      find: 'String(maxInt64 - count)',
      replace: 'String(maxInt64)',
      scopes: ['counter-exhausted-no-key', 'counter-exhausted-two-keys'],
    },
    'a damaged counter counts as missing': {
      find: 'attribute_not_exists(lastId) OR lastId BETWEEN :min AND :max',
      replace: 'attribute_not_exists(pk)',
      scopes: ['leases', 'no-key'],
    },
  }),
  ...inFile('lib/pets/petStore.ts', {
    'a pet is put without a condition': {
      find: ', ConditionExpression: isFree',
      replace: '',
      scopes: ['counter-back-no-key', ...creating],
    },
    'the token is never equal': {
      find: 'stored?.token === token',
      replace: "stored?.token === ''",
      scopes: creating,
    },
    'the token is always equal': {
      find: 'stored?.token === token',
      replace: 'stored',
      scopes: ['counter-back-no-key'],
    },
    'a pet is read weakly': {
      find: 'Key, ConsistentRead: true',
      replace: 'Key',
      scopes: ['read-after-create'],
    },
    'an unknown failure counts as stored': {
      find: 'ConditionalCheckFailedException)) throw error',
      replace: 'ConditionalCheckFailedException)) return true',
      scopes: ['failed-calls', ...creating],
    },
    'a taken id is not replaced': {
      find: "log('pet_id_taken', { petId: pet.id });\n    return false;",
      replace: 'return true;',
      scopes: ['counter-back-no-key'],
    },
    'pets go to all shards that lists read': {
      find: 'BigInt(config.writeShards)',
      replace: 'BigInt(config.shards)',
      scopes: ['raising-shards'],
    },
  }),
  ...inFile('lib/dynamodb/client.ts', {
    'a call is not retried': {
      find: 'maxAttempts: 3',
      replace: 'maxAttempts: 1',
      scopes: ['failed-calls'],
    },
    'an unavailable store is an internal error': {
      find: 'isUnavailability(error) ? unavailable(error) : error',
      replace: 'error',
      scopes: ['failed-calls', 'no-key'],
    },
  }),
};
