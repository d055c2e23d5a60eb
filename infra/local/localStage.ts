/** The settings of the local deployment. */
export const localStage = {
  name: 'local',
  tableNames: {
    pets: 'PetStore-local-pets',
    apiKeys: 'PetStore-local-api-keys',
    idempotency: 'PetStore-local-idempotency',
  },
  shards: 1,
  idsPerLease: 1,
  /** The time that a function may run. */
  databaseTimeoutMs: 10_000,
  dataFolder: '.petstore',
} as const;
