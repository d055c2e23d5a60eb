import { functionEnvironment } from '../../infra/constructs/functionEnvironment.ts';
import { startEmbeddedDatabase } from '../../infra/local/localDatabase.ts';
import { defineCommand, print, runCommand, wholeNumber } from '../../infra/tools/command.ts';
import { fillTables, tableNames } from '../helpers/fillTables.ts';
import { runChaos } from './runChaos.ts';

export const chaos = defineCommand(
  'test:chaos',
  'Kills instances and breaks connections to the database under load, then checks every promise.',
)
  .option('--seed <number>', 'gives the same faults again', wholeNumber(0, 999_999_999))
  .option('--seconds <number>', 'duration', wholeNumber(1, 99_999), 30)
  .action(async ({ seconds, seed = Date.now() % 1_000_000 }) => {
    print(`Chaos for ${seconds} s; --seed ${seed} gives the same faults.`);
    const load = { clients: 32, instances: 3, killEveryMs: 1500, durationMs: seconds * 1000 };
    const { violations, ...numbers } = await runChaos({ seed, ...load, ...(await deploy()) });
    for (const [name, value] of Object.entries(numbers))
      print(`  ${name}: ${JSON.stringify(value)}`);
    for (const violation of violations.slice(0, 20)) print(`  VIOLATION: ${violation}`);
    print(`  ${violations.length} promises broken`);
    // A run that acknowledged nothing or killed nothing proves nothing.
    const isProof = violations.length === 0 && numbers.acknowledged > 0 && numbers.kills > 0;
    process.exitCode = isProof ? 0 : 1;
  });

async function deploy() {
  const { endpoint } = await startEmbeddedDatabase();
  const stage = 'chaos';
  const environment = {
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    LOG_LEVEL: 'SILENT',
    METRICS: 'off',
    ...functionEnvironment({ stage, tableNames, shards: 2, idsPerLease: 5 }),
  };
  // For the modules of this process, which read the environment as they load.
  Object.assign(process.env, environment, { AWS_ENDPOINT_URL_DYNAMODB: endpoint });
  const apiKey = await fillTables(stage, 0);
  return { endpoint, petsTableName: tableNames.pets, apiKey, environment };
}

if (import.meta.main) {
  await runCommand(chaos);
  // The engine is still running.
  process.exit();
}
