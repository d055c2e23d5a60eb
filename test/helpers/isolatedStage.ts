import { randomUUID } from 'node:crypto';
import { devNull } from 'node:os';
import { afterEach, inject, vi } from 'vitest';
import { functionEnvironment } from '../../lib/config.ts';
import { mapTables, tableName } from '../../lib/tables.ts';
import { localStage } from '../../local/localStage.ts';

/**
 * A setup file of vitest: each test file has its own stage, as `cdk deploy` makes one on AWS.
 *
 * `database.ts` creates the tables, for the files that need them.
 */
const stage = `v1-${randomUUID()}`;
const tableNames = mapTables((name) => tableName(stage, name));

Object.assign(process.env, {
  // Hides the settings in ~/.aws too.
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoDbEndpoint'),
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  LOG_LEVEL: 'ERROR',
  ...functionEnvironment({ ...localStage, stage, tableNames }),
});

// The next test must not wait for a clock that stands still.
afterEach(() => {
  vi.useRealTimers();
});
