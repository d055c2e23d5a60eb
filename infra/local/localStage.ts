/** The settings of the deployment on a laptop. */
export const localStage = {
  name: 'local',
  tableNames: { pets: 'PetStore-local-pets', apiKeys: 'PetStore-local-api-keys' },
  shards: 1,
  dataFolder: '.petstore',
} as const;
