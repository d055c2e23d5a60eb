import { timeouts } from '../../lib/config.ts';
import { mapTables } from '../../lib/tables.ts';

/** The settings of the local deployment. */
export const localStage = {
  name: 'local',
  /** `PetStore-local-api-keys` and so on. */
  tableNames: mapTables(
    (name) => `PetStore-local-${name.replaceAll(/[A-Z]/g, '-$&').toLowerCase()}`,
  ),
  idsPerLease: 1,
  /** The time that a function may run. */
  databaseTimeoutMs: timeouts.functionSeconds * 1000,
  dataFolder: '.petstore',
} as const;
