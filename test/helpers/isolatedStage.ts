import { randomUUID } from 'node:crypto';
import { afterEach, inject, vi } from 'vitest';
import { functionEnvironment } from '../../lib/config.ts';
import { mapTables, tableName } from '../../lib/tables.ts';
import { pointSdkTo } from '../../local/pointSdkTo.ts';

/**
 * A setup file of vitest: each test file has its own stage, as `cdk deploy` makes one on AWS.
 *
 * `database.ts` creates the tables, for the files that need them.
 */
const stage = `v1-${randomUUID()}`;
const tableNames = mapTables((name) => tableName(stage, name));

pointSdkTo({ endpoint: inject('dynamoDbEndpoint'), accessKeyId: 'local' });
Object.assign(process.env, {
  LOG_LEVEL: 'ERROR',
  ...functionEnvironment({ stage, tableNames, idsPerLease: 1 }),
});

// The next test must not wait for a clock that stands still.
afterEach(() => {
  vi.useRealTimers();
});
