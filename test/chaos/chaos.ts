import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { functionEnvironment } from '../../infra/functionEnvironment.ts';
import { startEmbeddedDatabase } from '../../infra/local/localDatabase.ts';
import { defineCommand, print, runCommand, wholeNumber } from '../../infra/tools/command.ts';
import { fillTables, tableNames } from '../helpers/fillTables.ts';
import { type ChaosReport, runChaosOnFunctions, runChaosOnNpmStart } from './runChaos.ts';

const settings = { clients: 32, killEveryMs: 1500 };

export const chaos = defineCommand(
  'test:chaos',
  'Kills instances, breaks the database, and checks every promise.',
)
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
    print(`Chaos for ${seconds} s; --seed ${seed} gives the same faults.`);
    const reports = [
      printReport(
        'Functions with the time-outs of production and a failing database',
        await runChaosOnFunctions(
          { ...settings, seed, instances: 3, durationMs: durationMs * 0.75 },
          await deploy(),
        ),
      ),
      printReport('npm start with its data on disk', await runOnDisk(seed, durationMs * 0.25)),
    ];
    process.exitCode = reports.every(isProof) ? 0 : 1;
  });

async function deploy() {
  const { endpoint } = await startEmbeddedDatabase();
  const stage = 'chaos';
  const environment = {
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    METRICS: 'off',
    ...functionEnvironment({ stage, tableNames, shards: 2, idsPerLease: 5 }),
  };
  // For the modules of this process, which read the environment as they load.
  Object.assign(process.env, environment, { AWS_ENDPOINT_URL_DYNAMODB: endpoint });
  const apiKey = await fillTables(stage, 0);
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

function printReport(title: string, report: ChaosReport): ChaosReport {
  const { faults, responses, failures, violations, ...numbers } = report;
  print(`\n${title}`);
  for (const [name, value] of Object.entries({ ...numbers, responses, faults })) {
    print(`  ${name}: ${JSON.stringify(value)}`);
  }
  for (const failure of failures.slice(0, 5)) print(`  failure: ${failure}`);
  for (const violation of violations.slice(0, 20)) print(`  VIOLATION: ${violation}`);
  if (numbers.acknowledged === 0) print('  PROVES NOTHING: no pet was acknowledged');
  if (numbers.kills === 0) print('  PROVES NOTHING: no process was killed');
  print(`  ${violations.length} promises broken`);
  return report;
}

if (import.meta.main) {
  await runCommand(chaos);
  // The instances and the engine are still running.
  process.exit();
}
