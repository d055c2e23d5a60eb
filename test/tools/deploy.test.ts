import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { deploy } from '../../tools/deploy.ts';
import {
  AWS_ENDPOINT_URL,
  alarm,
  assemblies,
  calls,
  name,
  program,
  regions,
  service,
  state,
  tableNames,
  validKeys,
} from '../helpers/fakeDeployment.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

// The whole command, against a fake AWS. test/e2e/deploy.ts has a real CDK, and an emulator.

const alarmArn = `arn:aws:cloudwatch:eu-west-1:111122223333:alarm:${alarm}`;

vi.mock(import('node:timers/promises'), { spy: true });
vi.mock(import('../../infra/stages.ts'), async (importOriginal) => {
  const { settingsOf, ...others } = await importOriginal();
  const { name, state } = await import('../helpers/fakeDeployment.ts');
  const [stage] = others.stages;
  return {
    ...others,
    settingsOf: (asked) =>
      asked === name && stage ? { ...stage, ...state.settings, name } : settingsOf(asked),
  };
});

const run = (stage = name) =>
  runCommandHere(deploy, [stage], {
    AWS_ENDPOINT_URL,
    AWS_ENDPOINT_URL_DYNAMODB: AWS_ENDPOINT_URL,
    AWS_REGION: undefined,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}`,
  });

const synthesis = `cdk synth ${service} --output ASSEMBLY --strict --quiet --no-notices`;
const common = '--app ASSEMBLY --require-approval never --no-notices';
const ofTables = `cdk deploy ${service}-tables ${common}`;
const ofService = `cdk deploy ${service} ${common} --exclusively --rollback-trigger-alarm-arns`;
const watched = `${ofService} ${alarmArn} --monitoring-time-minutes 10`;
const unwatched = `${ofService} none --monitoring-time-minutes 0`;
const smokeTest = 'run.cjs tools/smoke.ts --base-url https://api.example.com/v1';
const look = `DescribeStacks ${service}`;

/** A look at each table. */
const indexes = Object.values(tableNames).map((table) => `DescribeTable ${table}`);

/** What a run calls that deploys everything. */
const release = (update: string, ...looksAtAlarm: string[]) => [
  ...['GetCallerIdentity', look, ...looksAtAlarm],
  ...[synthesis, ofTables, ...indexes, update],
  ...[look, `${smokeTest} --read-only`],
];

beforeEach(() => {
  Object.assign(state, {
    settings: { isDurable: true, account: { id: '111122223333', region: 'eu-west-1' } },
    outputs: { BaseAddress: 'https://api.example.com/v1', ReleaseAlarmArn: alarmArn },
    alarm: 'OK',
    index: ['ACTIVE'],
    ends: {},
  });
  calls.length = 0;
  regions.clear();
  assemblies.clear();
});

const lookAtAlarm = `DescribeAlarms ${alarm}`;

describe('npm run deploy', () => {
  it('deploys the tables, then the service, which its alarm watches, then runs the smoke test', async () => {
    const result = await run();

    expect(calls).toEqual(release(watched, lookAtAlarm));
    expect(result).toEqual({
      exitCode: 0,
      stdout: `CloudFormation watches ${alarm}.\n`,
      stderr: '',
    });
    expect([...regions]).toEqual(['eu-west-1']);
    expect(await validKeys()).toEqual([]);
  });

  it('synthesises each run into a folder of its own, and deletes it', async () => {
    await run();
    await run();

    expect([...assemblies].map((folder) => existsSync(folder))).toEqual([false, false]);
  });

  it.each<[what: string, world: Partial<typeof state>, looks: string[], said: string]>([
    [
      'whose alarm is on',
      { alarm: 'ALARM' },
      [lookAtAlarm],
      `The alarm ${alarm} is on, so this release is probably the fix. No alarm watches`,
    ],
    [
      'whose alarm is missing',
      { alarm: undefined },
      [lookAtAlarm],
      `The alarm ${alarm} is missing. No alarm watches`,
    ],
    [
      'without an alarm',
      { outputs: { BaseAddress: 'https://api.example.com/v1' } },
      [],
      'No alarm',
    ],
    ['that has no stack yet', { outputs: 'ValidationError' }, [], 'No alarm watches this release.'],
  ])('watches nothing, and says so, for a stage %s', async (_, world, looks, said) => {
    Object.assign(state, world);

    const { stdout } = await run();

    expect(calls.filter((call) => !call.startsWith('run.cjs'))).toEqual(
      release(unwatched, ...looks).slice(0, -1),
    );
    expect(stdout).toContain(said);
  });

  it.each<[call: string, world: Partial<typeof state>]>([
    ['DescribeStacks', { outputs: 'AccessDenied' }],
    ['DescribeAlarms', { alarm: 'AccessDenied' }],
  ])('starts no program if AWS denies %s', async (call, world) => {
    Object.assign(state, world);

    const { exitCode, stderr } = await run();

    expect(stderr).toBe('No.\n');
    expect(exitCode).toBe(1);
    expect(calls.at(-1)).toMatch(call);
  });

  it('adds pets only to a stage that is not durable', async () => {
    Object.assign(state.settings, { isDurable: false });

    await run();

    expect(calls.at(-1)).toBe(smokeTest);
  });

  it.each([
    [1, 'failed its smoke test: the report says whether it breaks a promise, or the database'],
    [2, 'is not judged, because the smoke test could not run'],
  ])('fails, and leaves no valid key, if the smoke test ends with %i', async (code, verdict) => {
    state.ends = { 'run.cjs': code };

    const { exitCode, stderr } = await run();

    expect(stderr).toContain(`The new version serves all requests, and ${verdict}`);
    expect(exitCode).toBe(1);
    expect(await validKeys()).toEqual([]);
  });

  it.each<[ended: string, call: string, end: number | 'Ctrl+C', said: string]>([
    ['its synthesis fails', 'cdk synth', 1, 'cdk synth failed, so nothing was deployed.'],
    ['the tables fail', ofTables, 1, `still be working on ${service}-tables. Look`],
    ['the service fails', watched, 1, `still be working on ${service}. Look`],
    ['Ctrl+C ends the deployment', watched, 'Ctrl+C', `still be working on ${service}. Look`],
    ['Ctrl+C ends the smoke test', 'run.cjs', 'Ctrl+C', 'Ended by SIGINT.'],
  ])('fails, calls nothing further, and leaves no valid key, if %s', async (_, call, end, said) => {
    state.ends = { [call]: end };

    const { exitCode, stderr } = await run();

    expect(stderr).toContain(said);
    expect(exitCode).toBe(1);
    expect(calls.at(-1)).toMatch(call);
    expect(await validKeys()).toEqual([]);
  });

  it('waits until a new index is filled, but not for any other change of an index', async () => {
    vi.mocked(wait).mockResolvedValue(undefined);
    state.index = ['CREATING', 'CREATING', 'UPDATING'];

    const { exitCode, stdout } = await run();

    const [ofPets, ...others] = indexes;
    expect(calls.filter((call) => call.startsWith('DescribeTable'))).toEqual([
      ...[ofPets, ofPets, ofPets, ...others],
    ]);
    const line = `Waiting for the index byStatus of ${tableNames.pets} to be filled.\n`;
    expect(stdout).toContain(line + line);
    expect(exitCode).toBe(0);
  });

  it('calls nothing if the credentials belong to another account than the settings name', async () => {
    Object.assign(state.settings, { account: { id: '444455556666', region: 'eu-west-1' } });

    const { exitCode, stderr } = await run();

    expect(stderr).toBe(
      `${name} belongs to the account 444455556666, and the credentials to 111122223333.\n`,
    );
    expect(exitCode).toBe(1);
    expect(calls).toEqual(['GetCallerIdentity']);
  });

  it('takes the credentials of any account if the settings name none', async () => {
    Object.assign(state.settings, { account: { region: 'eu-west-1' } });

    expect((await run()).exitCode).toBe(0);
  });

  it('reports a stage that the settings lack as wrong usage', async () => {
    const { exitCode, stderr } = await run('v1-alice');

    expect(stderr).toContain('infra/stages.ts has no stage v1-alice');
    expect(exitCode).toBe(2);
  });
});
