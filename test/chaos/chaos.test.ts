import { expect, it } from 'vitest';
import { config } from '../../lib/config.ts';
import { apiKey } from '../helpers/api.ts';
import { runChaos } from './runChaos.ts';

it('the service keeps every promise while connections break and processes are killed', async () => {
  const { violations, acknowledged, kills, faults } = await runChaos({
    seed: 3,
    durationMs: 800,
    clients: 24,
    instances: 2,
    killEveryMs: 500,
    endpoint: process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '',
    petsTableName: config().petsTableName,
    apiKey,
    environment: { LOG_LEVEL: 'SILENT', IDS_PER_LEASE: '5', SHARDS: '2', WRITE_SHARDS: '2' },
  });

  expect(violations).toEqual([]);
  expect(acknowledged).toBeGreaterThan(0);
  expect(kills).toBeGreaterThan(0);
  expect(Object.keys(faults).length).toBeGreaterThan(1);
});
