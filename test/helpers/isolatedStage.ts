import { randomUUID } from 'node:crypto';
import { inject, vi } from 'vitest';
import { functionEnvironment } from '../../infra/functionEnvironment.ts';

/**
 * A setup file of vitest: a stage of its own for each test file, as `cdk deploy` makes one on AWS.
 *
 * Its tables are made by `stageTables.ts`, for the files that need them.
 */
// lib/config.ts keeps what it finds in the environment, and the file before had another one.
vi.resetModules();
const run = randomUUID();
const tableNames = {
  pets: `pets-${run}`,
  apiKeys: `api-keys-${run}`,
  idempotency: `idempotency-${run}`,
};

Object.assign(process.env, {
  AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoDbEndpoint'),
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  LOG_LEVEL: 'ERROR',
  POWERTOOLS_METRICS_DISABLED: 'true',
  ...functionEnvironment({ stage: 'test', tableNames, shards: 1, idsPerLease: 1 }),
});
