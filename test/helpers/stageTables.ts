import { createTables } from '../../infra/local/createTables.ts';
import { relaxDatabaseTimeouts } from '../../infra/local/relaxDatabaseTimeouts.ts';
import { config } from '../../lib/config.ts';

/** Creates the tables of this test file's stage. Helpers that use the tables import this file. */
await createTables({
  pets: config.petsTableName,
  apiKeys: config.apiKeysTableName,
  idempotency: config.idempotencyTableName,
});
relaxDatabaseTimeouts();
