import '../helpers/database.ts';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { apiKeyDigest } from '../../lib/apiKeys/apiKey.ts';
import { listApiKeys } from '../../tools/apiKeyRegistry.ts';
import { deploy } from '../../tools/deploy.ts';
import {
  arnOf,
  assemblies,
  calls,
  environment,
  fakeDeployment,
  heartbeat,
  name,
  release,
  service,
  tableNames,
  world,
} from '../helpers/fakeDeployment.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

// The whole command, against fakes of AWS and of the CDK. test/e2e/deploy.ts has a real CDK, and an emulator.

vi.mock(import('node:child_process'), { spy: true });
vi.mock(import('node:fs/promises'), { spy: true });
vi.mock(import('node:timers/promises'), { spy: true });
vi.mock(import('../../infra/stages.ts'), async (importOriginal) => {
  const { settingsOf, ...others } = await importOriginal();
  const { name, world } = await import('../helpers/fakeDeployment.ts');
  const [stage] = others.stages;
  return {
    ...others,
    settingsOf: (asked) =>
      asked === name && stage ? { ...stage, ...world.settings, name } : settingsOf(asked),
  };
});

const run = (stage = name) => runCommandHere(deploy, [stage], { AWS_REGION: undefined });

const storedKeys = () => listApiKeys({ stage: name, tableName: tableNames.apiKeys });

const common = '--app ASSEMBLY --require-approval never --no-notices';
const synthesis = `cdk synth ${service}-tables ${service} --output ASSEMBLY --strict --quiet --no-notices`;
const ofTables = `cdk deploy ${service}-tables ${common}`;
const ofService = `cdk deploy ${service} ${common} --exclusively`;
const monitoring = [
  ...[release, heartbeat].map((alarm) => `--rollback-trigger-alarm-arns ${arnOf(alarm)}`),
  '--monitoring-time-minutes 10',
].join(' ');
const smokeTest = 'run.cjs tools/smoke.ts --base-address https://api.example.com/v1';
const lookAtStack = `DescribeStacks ${service}`;
const lookAtAlarms = `DescribeAlarms ${release} ${heartbeat}`;
const lookAtPets = `DescribeTable ${tableNames.pets}`;

beforeEach(() => {
  fakeDeployment();
  vi.mocked(wait).mockReset();
});

afterEach(() => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal);
});

/** Runs the command, and expects a signal to end it during the call that the test names. */
async function expectEnd(signal: string, lastCall: string, count = 1): Promise<void> {
  const { exitCode, stderr } = await run();

  expect(stderr).toBe(`Ended by ${signal}.\n`);
  expect(exitCode).toBe(1);
  expect(calls.filter((call) => call.startsWith(lastCall))).toHaveLength(count);
  expect(calls.at(-1)).toMatch(RegExp(`^${lastCall}`));
}

describe('npm run deploy', () => {
  it('deploys tables, waits for indexes, looks at alarms, then deploys the service and tries it', async () => {
    const result = await run();

    expect(calls).toEqual([
      'GetCallerIdentity',
      synthesis,
      ofTables,
      ...Object.values(tableNames).map((table) => `DescribeTable ${table}`),
      lookAtStack,
      lookAtAlarms,
      `${ofService} ${monitoring}`,
      lookAtStack,
      `${smokeTest} --read-only`,
    ]);
    const stdout = `CloudFormation monitors ${release} and ${heartbeat}.\n`;
    expect(result).toEqual({ exitCode: 0, stdout, stderr: '' });
    expect(environment.AWS_REGION).toBe('eu-west-1');
  });

  it('tries the service with an API key that expires after an hour, so that a clock may be slow', async () => {
    await run();

    const digest = apiKeyDigest(environment.PETSTORE_API_KEY ?? '');
    const key = (await storedKeys()).find((each) => each.digest === digest);
    expect(Number(key?.expiresAtEpochSeconds) - Number(key?.createdAtEpochSeconds)).toBe(3600);
    expect(key?.readOnly).toBeUndefined();
  });

  it('tries a preflight if web pages may call the stage', async () => {
    world.settings.corsOrigins = ['https://app.example.com', 'https://other.example.com'];

    await run();

    expect(environment.PETSTORE_CORS_ORIGIN).toBe('https://app.example.com');
  });

  it('adds pets only to a stage that is not durable, and takes any account if the settings name none', async () => {
    world.settings = { isDurable: false, account: { region: 'eu-west-1' } };

    await run();

    expect(calls.at(-1)).toBe(smokeTest);
  });

  it('deletes its folder, which each run has of its own, even if the deployment fails', async () => {
    await run();
    world.ends = { [ofTables]: 1 };
    await run();

    expect([...assemblies].map((folder) => existsSync(folder))).toEqual([false, false]);
  });

  it('waits until a new index is filled, but not for any other change of an index', async () => {
    vi.mocked(wait).mockResolvedValue(undefined);
    world.index = ['CREATING', 'CREATING', 'UPDATING'];

    const { exitCode, stdout } = await run();

    expect(calls.filter((call) => call === lookAtPets)).toHaveLength(3);
    const line = `Waiting for the index byStatus of ${tableNames.pets} to be filled.\n`;
    expect(stdout).toContain(line + line);
    expect(exitCode).toBe(0);
  });

  it('deploys a new stage, which has no alarm', async () => {
    world.ends = { [lookAtStack]: new Error(`Stack with id ${service} does not exist`) };

    const { stdout } = await run();

    expect(stdout).toBe('No alarm monitors this release.\n');
    expect(calls.join()).not.toContain('DescribeAlarms');
    expect(calls).toContain(
      `${ofService} --rollback-trigger-alarm-arns none --monitoring-time-minutes 0`,
    );
  });

  it('deploys nothing if the credentials belong to another account than the settings name', async () => {
    world.settings = { isDurable: true, account: { id: '444455556666', region: 'eu-west-1' } };

    const { exitCode, stderr } = await run();

    expect(stderr).toBe(
      `${name} belongs to the account 444455556666, and the credentials to 111122223333.\n`,
    );
    expect(exitCode).toBe(1);
    expect(calls).toEqual(['GetCallerIdentity']);
  });

  it('reports a stage that the settings lack as wrong usage', async () => {
    const { exitCode, stderr } = await run('v1-alice');

    expect(stderr).toContain('infra/stages.ts has no stage v1-alice');
    expect(exitCode).toBe(2);
  });

  it('says why it failed, even if it cannot delete its folder', async () => {
    world.ends = { 'cdk synth': 1 };
    vi.mocked(rm).mockRejectedValueOnce(new Error('The folder is busy.'));

    expect((await run()).stderr).toBe('cdk synth failed, so nothing was deployed.\n');
  });

  const denied = new Error('You are not authorized.');

  it.each<[fault: string, call: string, end: number | NodeJS.Signals | Error, said: string]>([
    ['its synthesis fails', 'cdk synth', 1, 'cdk synth failed, so nothing was deployed.'],
    ['the tables fail', ofTables, 1, `still be working on ${service}-tables. Look`],
    ['AWS denies the stack', lookAtStack, denied, denied.message],
    ['AWS denies the alarms', lookAtAlarms, denied, denied.message],
    ['the service fails', ofService, 1, `still be working on ${service}. Look`],
    ['Ctrl+C ends the update', ofService, 'SIGINT', `still be working on ${service}. Look`],
    ['the smoke test fails', smokeTest, 1, 'serves all requests, and failed its smoke test: the'],
    ['the smoke test cannot run', smokeTest, 2, 'serves all requests, and is not judged, because'],
  ])('fails, and calls nothing further, if %s', async (_, call, end, said) => {
    world.ends = { [call]: end };

    const { exitCode, stderr } = await run();

    expect(stderr).toContain(said);
    expect(exitCode).toBe(1);
    expect(calls.at(-1)).toMatch(RegExp(`^${call}`));
  });

  it('describes itself in one paragraph', () => {
    expect(deploy.description()).not.toContain('\n');
  });

  it.each<[call: string, signal: NodeJS.Signals]>([
    ['GetCallerIdentity', 'SIGINT'],
    ['cdk synth', 'SIGTERM'],
    ['DescribeTable', 'SIGTERM'],
    ['DescribeStacks', 'SIGHUP'],
    ['DescribeAlarms', 'SIGINT'],
    [smokeTest, 'SIGINT'],
  ])('ends, calls nothing further and names the signal, if %s gets %s', async (call, signal) => {
    world.ends = { [call]: signal };

    await expectEnd(signal, call);
  });

  it('ends, calls nothing further and names the signal, if it waits for an index', async () => {
    world.index = ['CREATING'];
    vi.mocked(wait).mockImplementation(async (_ms, _value, options) => {
      process.emit('SIGTERM');
      if (options?.signal?.aborted) throw new DOMException('Wait aborted', 'AbortError');
    });

    await expectEnd('SIGTERM', 'DescribeTable');
  });

  it('stores no API key after a signal', async () => {
    const before = await storedKeys();
    const { send } = DynamoDBDocumentClient.prototype;
    const put = vi.spyOn(DynamoDBDocumentClient.prototype, 'send');
    put.mockImplementationOnce(function (this: DynamoDBDocumentClient, ...args) {
      process.emit('SIGINT');
      return send.apply(this, args);
    });

    await expectEnd('SIGINT', 'DescribeStacks', 2);

    expect(await storedKeys()).toEqual(before);
  });
});
