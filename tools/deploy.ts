import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CloudFormation } from '@aws-sdk/client-cloudformation';
import { CloudWatch } from '@aws-sdk/client-cloudwatch';
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
import { defineCommand, print } from './command.ts';
import { throughProxy } from './throughProxy.ts';
import { useRegion } from './useStage.ts';

/**
 * How long CloudFormation watches the alarm after an update: its period of five minutes, and as
 * long again for the access log and its metrics to arrive.
 */
const watchMinutes = 10;

const aws = { requestHandler: throughProxy };

const cdkCli = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');

export const deploy = defineCommand(
  'deploy',
  `Deploys a stage of infra/stages.ts: its tables, then its service, then the smoke test. CloudFormation rolls the
service back if its alarm goes off during the update or in the ${watchMinutes} minutes after it.`,
)
  .argument('<stage>', 'the stage, such as v1-staging', readStage)
  .addHelpText('after', '\nNeeds AWS credentials, and a Region unless the settings name it.')
  .action(async (stage) => {
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => stop.abort(new Error(`Ended by ${signal}.`)));
    }
    await useRegion(stage);
    await assertAccount(stage);
    const service = stackName(stage.name);
    const alarm = await findAlarmToWatch(service);

    // Not the usual folder, `cdk.out`: another run may write it while this one waits.
    const assembly = await mkdtemp(join(tmpdir(), 'petstore-deploy-'));
    try {
      await synthesize(service, assembly, stop.signal);
      await deployStack(tablesStackName(stage.name), assembly, [], stop.signal);
      await waitForIndexes(stage, stop.signal);
      const watch = [
        ...['--rollback-trigger-alarm-arns', alarm ?? 'none'],
        // CloudFormation keeps the minutes of the last update, and would wait without an alarm too.
        ...['--monitoring-time-minutes', alarm ? `${watchMinutes}` : '0'],
      ];
      await deployStack(service, assembly, ['--exclusively', ...watch], stop.signal);
    } finally {
      await rm(assembly, { recursive: true, force: true });
    }
    await smoke(stage, (await outputsOf(service))[baseAddressOutput] ?? '', stop.signal);
  });

function readStage(name: string): Stage {
  try {
    return settingsOf(name);
  } catch (error) {
    throw error instanceof SettingsError ? new InvalidArgumentError(error.message) : error;
  }
}

/** With credentials that another account trusts, the CDK would deploy to that account. */
async function assertAccount({ name, account: { id } }: Stage): Promise<void> {
  const { Account } = await new STS(aws).getCallerIdentity();
  if (id === undefined || id === Account) return;
  throw new Error(`${name} belongs to the account ${id}, and the credentials to ${Account}.`);
}

/**
 * Returns the ARN of the alarm that CloudFormation watches during this release, if there is one.
 *
 * With an alarm that is on or missing, CloudFormation would roll back every release, the fix too.
 */
async function findAlarmToWatch(service: string): Promise<string | undefined> {
  const { [releaseAlarmOutput]: arn } = await outputsOf(service);
  if (arn === undefined) {
    print('No alarm watches this release.');
    return undefined;
  }
  const name = arn.split(':alarm:')[1] ?? '';
  const { MetricAlarms: [alarm] = [] } = await new CloudWatch(aws).describeAlarms({
    AlarmNames: [name],
  });
  if (alarm && alarm.StateValue !== 'ALARM') {
    print(`CloudFormation watches ${name}.`);
    return arn;
  }
  const state = alarm ? 'is on, so this release is probably the fix' : 'is missing';
  print(`The alarm ${name} ${state}. No alarm watches this release.`);
  return undefined;
}

/** Returns the outputs of a stack, and none if it does not exist. */
async function outputsOf(StackName: string): Promise<Record<string, string | undefined>> {
  const { Stacks } = await new CloudFormation(aws)
    .describeStacks({ StackName })
    .catch((error: Error) => {
      if (error.message.includes('does not exist')) return { Stacks: [] };
      throw error;
    });
  const outputs = Stacks?.[0]?.Outputs ?? [];
  return Object.fromEntries(outputs.map((each) => [each.OutputKey, each.OutputValue]));
}

/** Writes the templates of a stack and of its tables to a folder. A warning of the CDK fails. */
async function synthesize(stack: string, folder: string, stop: AbortSignal): Promise<void> {
  const options = ['--output', folder, '--strict', '--quiet', '--no-notices'];
  const exitCode = await runNode([cdkCli, 'synth', stack, ...options], stop);
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
async function runNode(args: string[], stop: AbortSignal, env = {}): Promise<number> {
  stop.throwIfAborted();
  const options = { stdio: 'inherit', env: { ...process.env, ...env } } as const;
  const child = spawn(process.execPath, args, options);
  stop.addEventListener('abort', () => child.kill());
  const [exitCode] = await once(child, 'exit');
  return exitCode ?? 1;
}

/**
 * Waits until a new index is filled, because a version that reads it would miss items.
 * CloudFormation does not wait.
 */
async function waitForIndexes(stage: Stage, stop: AbortSignal): Promise<void> {
  const client = new DynamoDB(aws);
  for (const name of Object.keys(tables) as TableName[]) {
    const TableName = tableName(stage.name, name);
    for (;;) {
      const { Table } = await client.describeTable({ TableName });
      const index = Table?.GlobalSecondaryIndexes?.find(
        ({ IndexStatus }) => IndexStatus === 'CREATING',
      );
      if (!index) break;
      print(`Waiting for the index ${index.IndexName} of ${TableName} to be filled.`);
      await wait(10_000, undefined, { signal: stop });
    }
  }
}

/** Runs the smoke test with an API key of its own, which ends with it, and throws if the test fails. */
async function smoke(
  { name, isDurable }: Stage,
  baseAddress: string,
  stop: AbortSignal,
): Promise<void> {
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
    const program = [join(import.meta.dirname, 'run.cjs'), 'tools/smoke.ts'];
    const exitCode = await runNode([...program, ...options], stop, { PETSTORE_API_KEY: apiKey });
    stop.throwIfAborted();
    if (exitCode === 0) return;
    const verdict =
      exitCode === 1
        ? 'failed its smoke test: the report says whether it breaks a promise, or the database failed'
        : 'is not judged, because the smoke test could not run';
    throw new Error(
      `The new version serves all requests, and ${verdict}. See docs/runbook.md#a-release.`,
    );
  } finally {
    await revokeApiKey(registry, apiKeyId(digest));
  }
}
