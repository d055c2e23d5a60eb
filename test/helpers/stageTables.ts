import { createTables } from '../../infra/local/createTables.ts';
import { relaxDatabaseTimeouts } from '../../infra/local/dynaliteWorkarounds.ts';
import { config } from '../../lib/config.ts';
import { dynamoDb } from '../../lib/dynamodb/client.ts';

/** Creates the tables of this test file's stage. Helpers that use the tables import this file. */
await createTables({
  pets: config.petsTableName,
  apiKeys: config.apiKeysTableName,
  idempotency: config.idempotencyTableName,
});
relaxDatabaseTimeouts(dynamoDb);
