import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CloudFormation } from '@aws-sdk/client-cloudformation';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { STS } from '@aws-sdk/client-sts';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import {
  baseAddressOutput,
  releaseAlarmOutput,
  stackName,
  tablesStackName,
} from '../infra/core/stackNames.ts';
import { SettingsError, type Stage } from '../infra/stageSchema.ts';
import { settingsOf } from '../infra/stages.ts';
import { apiKeyId, createApiKey } from '../lib/apiKeys/apiKey.ts';
import { type TableName, tableName, tables } from '../lib/tables.ts';
import { revokeApiKey, storeApiKey } from './apiKeyRegistry.ts';
import { defineCommand, print, runCommand } from './command.ts';
import { useRegion } from './useStage.ts';

/**
 * How long CloudFormation watches the alarm after an update: its period of five minutes, and as long again for the
 * access log and its metrics to arrive.
 */
const watchMinutes = 10;

const cdkCli = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');
const assembly = ['--app', 'cdk.out', '--require-approval', 'never', '--no-notices'];

export const deploy = defineCommand(
  'deploy',
  `Deploys a stage of infra/stages.ts: its tables, then its service, then the smoke test. CloudFormation rolls the
service back if its alarm goes off during the update or in the ${watchMinutes} minutes after it.`,
)
  .argument('<stage>', 'the stage, such as v1-staging', readStage)
  .option('--unwatched', 'watch no alarm: it is on now, or this release removes it')
  .addHelpText('after', '\nNeeds AWS credentials, and a Region unless the settings name it.')
  .action(async (stage, { unwatched: isUnwatched = false }) => {
    await useRegion(stage);
    await assertAccount(stage);
    const service = stackName(stage.name);
    await cdk('synth', service, '--quiet', '--no-notices', ...describeCommit());

    await cdk('deploy', tablesStackName(stage.name), ...assembly);
    await waitForIndexes(stage);

    const { [releaseAlarmOutput]: alarm } = await outputsOf(service);
    const isWatched = alarm !== undefined && !isUnwatched;
    print(isWatched ? `CloudFormation watches ${alarm}.` : 'No alarm watches this release.');
    // CloudFormation keeps the alarm for later updates, so `none` has to remove it.
    const watch = isWatched ? [alarm, '--monitoring-time-minutes', `${watchMinutes}`] : ['none'];
    const options = ['--exclusively', '--rollback-trigger-alarm-arns', ...watch];
    await cdk('deploy', service, ...assembly, ...options);
    await smoke(stage, (await outputsOf(service))[baseAddressOutput] ?? '');
  });

/** Returns the context with what is deployed. Without Git, the stack does not name it. */
function describeCommit(): string[] {
  const args = ['describe', '--always', '--dirty', '--abbrev=12'];
  const { stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return stdout ? ['-c', `commit=${stdout.trim()}`] : [];
}

function readStage(name: string): Stage {
  try {
    return settingsOf(name);
  } catch (error) {
    throw error instanceof SettingsError ? new InvalidArgumentError(error.message) : error;
  }
}

/** With credentials that another account trusts, the CDK would deploy to that account. */
async function assertAccount({ name, account: { id } }: Stage): Promise<void> {
  const { Account } = await new STS().getCallerIdentity();
  if (id === undefined || id === Account) return;
  throw new Error(`${name} belongs to the account ${id}, and the credentials to ${Account}.`);
}

/** Runs the CDK's CLI, and throws if it fails. */
async function cdk(command: string, ...args: string[]): Promise<void> {
  const exitCode = await runNode([cdkCli, command, ...args]);
  if (exitCode !== 0) throw new Error(`cdk ${command} failed, so nothing further was deployed.`);
}

/** Runs a Node.js program in this terminal, and returns its exit code. */
async function runNode(args: string[], env = {}, stop?: AbortSignal): Promise<number> {
  stop?.throwIfAborted();
  const options = { stdio: 'inherit', env: { ...process.env, ...env } } as const;
  const child = spawn(process.execPath, args, options);
  stop?.addEventListener('abort', () => child.kill());
  const [exitCode] = await once(child, 'exit');
  return exitCode ?? 1;
}

/** Waits until a new index is filled, because a version that reads it would miss items. CloudFormation does not wait. */
export async function waitForIndexes(
  { name: stageName }: { name: string },
  pauseMs = 10_000,
): Promise<void> {
  const client = new DynamoDB();
  for (const name of Object.keys(tables) as TableName[]) {
    const TableName = tableName(stageName, name);
    for (;;) {
      const { Table } = await client.describeTable({ TableName });
      const index = Table?.GlobalSecondaryIndexes?.find(
        // AWS always names the status, and MiniStack never.
        ({ IndexStatus = 'ACTIVE' }) => IndexStatus !== 'ACTIVE',
      );
      if (!index) break;
      print(`Waiting for the index ${index.IndexName} of ${TableName}: ${index.IndexStatus}.`);
      await wait(pauseMs);
    }
  }
}

/** Returns the outputs of a stack, and none if it does not exist. */
async function outputsOf(StackName: string): Promise<Record<string, string | undefined>> {
  const { Stacks } = await new CloudFormation()
    .describeStacks({ StackName })
    .catch((error: Error) => {
      if (error.message.includes('does not exist')) return { Stacks: [] };
      throw error;
    });
  const outputs = Stacks?.[0]?.Outputs ?? [];
  return Object.fromEntries(outputs.map((each) => [each.OutputKey, each.OutputValue]));
}

/** Runs the smoke test with an API key of its own, which ends with it, and throws if the test fails. */
async function smoke({ name, isDurable }: Stage, baseAddress: string): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stop.abort(new Error(`The smoke test was ended by ${signal}.`)));
  }
  const registry = { stage: name, tableName: tableName(name, 'apiKeys') };
  const apiKey = createApiKey(name);
  const { digest } = await storeApiKey(registry, apiKey, {
    name: 'npm run deploy',
    lifetimeSeconds: 86_400n,
    readOnly: undefined,
  });
  try {
    // Clients of a durable stage must never see the pets of a smoke test.
    const options = ['--base-url', baseAddress, ...(isDurable ? ['--read-only'] : [])];
    const file = join(import.meta.dirname, 'smoke.ts');
    const exitCode = await runNode([file, ...options], { PETSTORE_API_KEY: apiKey }, stop.signal);
    stop.signal.throwIfAborted();
    if (exitCode === 0) return;
    const verdict =
      exitCode === 1
        ? 'breaks a promise, or its database failed'
        : 'is not judged, because the test could not run';
    throw new Error(
      `The new version serves all requests, and ${verdict}: docs/runbook.md#smoke-test-failed`,
    );
  } finally {
    await revokeApiKey(registry, apiKeyId(digest));
  }
}

if (import.meta.main) await runCommand(deploy);
