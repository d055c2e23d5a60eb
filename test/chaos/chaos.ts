import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { functionEnvironment } from '../../infra/functionEnvironment.ts';
import { startEmbeddedDatabase } from '../../infra/local/localDatabase.ts';
import { defineCommand, runCommand, wholeNumber } from '../../infra/tools/command.ts';
import { type ChaosReport, runChaosOnFunctions, runChaosOnNpmStart } from './runChaos.ts';

const settings = { clients: 32, killEveryMs: 1500 };

export const chaos = defineCommand('test:chaos')
  .option(
    '--seed <number>',
    'gives the same faults again (default: another for each run)',
    wholeNumber(0, 999_999_999),
  )
  .option('--seconds <number>', 'duration', wholeNumber(1, 99_999), 60)
  .addHelpText(
    'after',
    `
Three quarters of the time it runs functions with a failing database, and one quarter npm start with its
data on disk.`,
  )
  .action(async ({ seconds, seed = Date.now() % 1_000_000 }) => {
    const durationMs = seconds * 1000;
    process.stdout.write(`Chaos for ${seconds} s; --seed ${seed} gives the same faults.\n`);
    const reports = [
      print(
        'Functions with the time-outs of production and a failing database',
        await runChaosOnFunctions(
          { ...settings, seed, instances: 3, durationMs: durationMs * 0.75 },
          await deploy(),
        ),
      ),
      print('npm start with its data on disk', await runOnDisk(seed, durationMs * 0.25)),
    ];
    process.exitCode = reports.every(isProof) ? 0 : 1;
  });

async function deploy() {
  const { endpoint } = await startEmbeddedDatabase();
  const stage = 'chaos';
  const tableNames = { pets: 'pets', apiKeys: 'api-keys', idempotency: 'idempotency' };
  const environment = {
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    METRICS: 'off',
    ...functionEnvironment({ stage, tableNames, shards: 2, idsPerLease: 5 }),
  };
  // For the modules of this process, which read the environment as they load.
  Object.assign(process.env, environment, { AWS_ENDPOINT_URL_DYNAMODB: endpoint });
  const { createTables } = await import('../../infra/local/createTables.ts');
  const { issueApiKey } = await import('../../infra/tools/apiKeyRegistry.ts');
  await createTables(tableNames);
  const apiKey = await issueApiKey({ stage, tableName: tableNames.apiKeys }, { name: 'chaos' });
  return { endpoint, petsTableName: tableNames.pets, apiKey, environment };
}

async function runOnDisk(seed: number, durationMs: number): Promise<ChaosReport> {
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  const folder = await mkdtemp(join(tmpdir(), 'petstore-chaos-'));
  try {
    return await runChaosOnNpmStart({ ...settings, seed, instances: 1, durationMs }, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A run that acknowledged nothing or killed nothing proves nothing. */
function isProof({ violations, acknowledged, kills }: ChaosReport): boolean {
  return violations.length === 0 && acknowledged > 0 && kills > 0;
}

function print(title: string, report: ChaosReport): ChaosReport {
  const { faults, responses, failures, violations, ...numbers } = report;
  const write = (line: string) => process.stdout.write(`${line}\n`);
  write(`\n${title}`);
  for (const [name, value] of Object.entries({ ...numbers, responses, faults })) {
    write(`  ${name}: ${JSON.stringify(value)}`);
  }
  for (const failure of failures.slice(0, 5)) write(`  failure: ${failure}`);
  for (const violation of violations.slice(0, 20)) write(`  VIOLATION: ${violation}`);
  if (numbers.acknowledged === 0) write('  PROVES NOTHING: no pet was acknowledged');
  if (numbers.kills === 0) write('  PROVES NOTHING: no process was killed');
  write(`  ${violations.length} promises broken`);
  return report;
}

if (import.meta.main) {
  await runCommand(chaos);
  // The instances and the engine are still running.
  process.exit();
}
