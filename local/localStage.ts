import { mapTables } from '../lib/tables.ts';

/** The settings of the local deployment. */
export const localStage = {
  name: 'local',
  /** `PetStore-local-api-keys` and so on. */
  tableNames: mapTables(
    (name) => `PetStore-local-${name.replaceAll(/[A-Z]/g, '-$&').toLowerCase()}`,
  ),
  idsPerLease: 1,
  dataFolder: '.petstore',
} as const;
