import { mapTables, tableName } from '../lib/tables.ts';

const name = 'local';

/** The settings of the local deployment. */
export const localStage = {
  name,
  tableNames: mapTables((table) => tableName(name, table)),
  // As in production, so clients meet gaps here too: a restart leaves up to 9.
  idsPerLease: 10,
  dataFolder: '.petstore',
} as const;
