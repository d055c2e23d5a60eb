import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CloudFormation } from '@aws-sdk/client-cloudformation';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { STS } from '@aws-sdk/client-sts';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { baseAddressOutput, stackName, tablesStackName } from '../infra/core/stackNames.ts';
import { SettingsError, type Stage } from '../infra/stageSchema.ts';
import { settingsOf } from '../infra/stages.ts';
import { allTables, tableName } from '../lib/tables.ts';
import { issueApiKey } from './apiKeyRegistry.ts';
import { defineCommand, print } from './command.ts';
import { monitoringMinutes, monitoringOptions, type ServiceStack } from './releaseAlarms.ts';
import { throughProxy } from './throughProxy.ts';
import { useRegion } from './useStage.ts';

const aws = { requestHandler: throughProxy };

const cdkCli = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');

export const deploy = defineCommand(
  'deploy',
  `Deploys a stage of infra/stages.ts: its tables, then its service, then the smoke test. CloudFormation rolls the service back if an alarm is in ALARM during the update or in the ${monitoringMinutes} minutes after it.`,
)
  .argument('<stage>', 'the stage, such as v1-staging', readStage)
  .addHelpText('after', '\nNeeds AWS credentials, and a Region unless the settings name it.')
  .action(async (stage) => {
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      // Once: nothing aborts the wait for credentials, but the second signal ends the process.
      process.once(signal, () => stop.abort(new Error(`Ended by ${signal}.`)));
    }
    await release(stage, stop.signal).catch((error: Error) => {
      // A wait and a call of AWS say only that they were aborted.
      throw error.name === 'AbortError' ? stop.signal.reason : error;
    });
  });

function readStage(name: string): Stage {
  try {
    return settingsOf(name);
  } catch (error) {
    throw error instanceof SettingsError ? new InvalidArgumentError(error.message) : error;
  }
}

async function release(stage: Stage, stop: AbortSignal): Promise<void> {
  await useRegion(stage);
  await assertAccount(stage, stop);
  const tablesStack = tablesStackName(stage.name);
  const service = stackName(stage.name);

  // Not the usual folder, `cdk.out`: another run may write it while this one waits.
  const assembly = await mkdtemp(join(tmpdir(), 'petstore-deploy-'));
  try {
    await synthesize([tablesStack, service], assembly);
    await deployStack(tablesStack, assembly, [], stop);
    await waitForIndexes(stage, stop);
    // So late, because an alarm may change while an index is filled.
    const monitoring = await monitoringOptions(await describeStack(service, stop), stop);
    // Without `--exclusively`, the CDK would deploy the tables again, and let CloudFormation monitor them too.
    await deployStack(service, assembly, ['--exclusively', ...monitoring], stop);
  } finally {
    // A folder that stays must not hide why the release failed.
    await rm(assembly, { recursive: true, force: true }).catch(() => {});
  }
  await smoke(stage, stop);
}

/** With credentials that another account trusts, the CDK would deploy to that account. */
async function assertAccount({ name, account: { id } }: Stage, stop: AbortSignal): Promise<void> {
  const { Account } = await new STS(aws).getCallerIdentity({}, { abortSignal: stop });
  if (id === undefined || id === Account) return;
  throw new Error(`${name} belongs to the account ${id}, and the credentials to ${Account}.`);
}

/** Returns the status and the outputs of a stack, and neither if it does not exist. */
async function describeStack(name: string, stop: AbortSignal): Promise<ServiceStack> {
  const { Stacks } = await new CloudFormation(aws)
    .describeStacks({ StackName: name }, { abortSignal: stop })
    .catch((error: Error) => {
      if (error.message.includes('does not exist')) return { Stacks: [] };
      throw error;
    });
  const { StackStatus: status, Outputs = [] } = Stacks?.[0] ?? {};
  const outputs = Outputs.map((each) => [each.OutputKey, each.OutputValue]);
  return { name, status, outputs: Object.fromEntries(outputs) };
}

/** Writes the templates of stacks to a folder. A warning of the CDK fails. */
async function synthesize(stacks: string[], folder: string): Promise<void> {
  const options = ['--output', folder, '--strict', '--quiet', '--no-notices'];
  // Takes seconds. If we ended it, its child process would go on, and write the deleted folder again.
  const exitCode = await runNode([cdkCli, 'synth', ...stacks, ...options]);
  if (exitCode !== 0) throw new Error('cdk synth failed, so nothing was deployed.');
}

async function deployStack(
  stack: string,
  folder: string,
  options: string[],
  stop: AbortSignal,
): Promise<void> {
  const common = ['--app', folder, '--require-approval', 'never', '--no-notices'];
  const exitCode = await runNode([cdkCli, 'deploy', stack, ...common, ...options], stop);
  if (exitCode === 0) return;
  // The CDK also fails if only its own look at the update ends: expired credentials, Ctrl+C, …
  throw new Error(`cdk deploy failed. CloudFormation may still be working on ${stack}. Look at its state:
  aws cloudformation describe-stacks --stack-name ${stack} --query 'Stacks[0].StackStatus'
Then see docs/runbook.md#a-release.`);
}

/** Runs a Node.js program in this terminal, and returns its exit code. */
async function runNode(args: string[], stop?: AbortSignal, env = {}): Promise<number> {
  stop?.throwIfAborted();
  const options = { stdio: 'inherit', env: { ...process.env, ...env } } as const;
  const child = spawn(process.execPath, args, options);
  stop?.addEventListener('abort', () => child.kill());
  const [exitCode] = await once(child, 'exit');
  return exitCode ?? 1;
}

/**
 * Waits until a new index is filled, because a version that reads it would miss items.
 * CloudFormation does not wait.
 */
async function waitForIndexes(stage: Stage, stop: AbortSignal): Promise<void> {
  const client = new DynamoDB(aws);
  for (const name of allTables) {
    const TableName = tableName(stage.name, name);
    for (;;) {
      const { Table } = await client.describeTable({ TableName }, { abortSignal: stop });
      const index = Table?.GlobalSecondaryIndexes?.find(
        ({ IndexStatus }) => IndexStatus === 'CREATING',
      );
      if (!index) break;
      print(`Waiting for the index ${index.IndexName} of ${TableName} to be filled.`);
      await wait(10_000, undefined, { signal: stop });
    }
  }
}

/** Runs the smoke test with an API key of its own, and throws if the test fails. */
async function smoke({ name, isDurable, corsOrigins }: Stage, stop: AbortSignal): Promise<void> {
  const { outputs } = await describeStack(stackName(name), stop);
  // The key is never shown, so it simply expires. An hour, because the clock of this machine may be slow.
  const apiKey = await issueApiKey(
    { stage: name, tableName: tableName(name, 'apiKeys') },
    { name: 'npm run deploy', lifetimeSeconds: 3600n },
    { abortSignal: stop },
  );
  // Clients of a durable stage must never see the pets of a smoke test.
  const options = [
    '--base-address',
    outputs[baseAddressOutput] ?? '',
    ...(isDurable ? ['--read-only'] : []),
  ];
  const program = [join(import.meta.dirname, 'run.cjs'), 'tools/smoke.ts'];
  const exitCode = await runNode([...program, ...options], stop, {
    PETSTORE_API_KEY: apiKey,
    PETSTORE_CORS_ORIGIN: corsOrigins?.[0] ?? '',
  });
  stop.throwIfAborted();
  if (exitCode === 0) return;
  const verdict =
    exitCode === 1
      ? 'failed its smoke test: the report says whether it breaks a promise, or the database failed'
      : 'is not judged, because the smoke test could not run';
  throw new Error(
    `The new version serves all requests, and ${verdict}. See docs/runbook.md#a-release.`,
  );
}
