import { setTimeout as wait } from 'node:timers/promises';
import { CloudWatch, type DescribeAlarmsCommandInput } from '@aws-sdk/client-cloudwatch';
import { beforeEach, expect, it, vi } from 'vitest';
import { monitoringOptions } from '../../tools/releaseAlarms.ts';
import { arnOf } from '../helpers/fakeDeployment.ts';

vi.mock(import('node:timers/promises'), { spy: true });

const name = 'PetStore-v1-production';
const release = `${name}-Api-Release`;
const heartbeat = `${name}-Service-Heartbeat`;
const outputs = { ReleaseAlarmArn: arnOf(release), HeartbeatAlarmArn: arnOf(heartbeat) };

/** The states of the alarms that exist. */
let states: Record<string, string>;
let stdout: string;

beforeEach(() => {
  vi.mocked(wait).mockReset();
  states = { [release]: 'OK', [heartbeat]: 'INSUFFICIENT_DATA' };
  stdout = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += text;
    return true;
  });
  vi.spyOn(CloudWatch.prototype, 'describeAlarms').mockImplementation(
    async ({ AlarmNames }: DescribeAlarmsCommandInput = {}) => ({
      MetricAlarms: Object.entries(states)
        .filter(([AlarmName]) => AlarmNames?.includes(AlarmName) ?? true)
        .map(([AlarmName, StateValue]) => ({ AlarmName, StateValue })),
    }),
  );
});

function runMonitoringOptions(status: string, stop = new AbortController()) {
  return monitoringOptions({ name, status, outputs }, stop.signal);
}

const monitor = (...alarms: string[]) => [
  ...alarms.flatMap((alarm) => ['--rollback-trigger-alarm-arns', arnOf(alarm)]),
  '--monitoring-time-minutes',
  '10',
];
const monitorNothing = ['--rollback-trigger-alarm-arns', 'none', '--monitoring-time-minutes', '0'];

it.each<[states: string, is: typeof states, options: string[], said: string]>([
  [
    'both alarms if both are OK',
    { [release]: 'OK', [heartbeat]: 'INSUFFICIENT_DATA' },
    monitor(release, heartbeat),
    `CloudFormation monitors ${release} and ${heartbeat}.\n`,
  ],
  [
    'the heartbeat if the alarm of releases is in ALARM',
    { [release]: 'ALARM', [heartbeat]: 'OK' },
    monitor(heartbeat),
    `The alarm ${release} is in ALARM, and does not monitor this release, which is probably the fix.
CloudFormation monitors ${heartbeat}.\n`,
  ],
  [
    'the alarm of releases if the heartbeat is missing',
    { [release]: 'OK' },
    monitor(release),
    `The alarm ${heartbeat} is missing, and does not monitor this release. This recreates it, and empties the firewall's list of addresses:
  npx cdk deploy ${name} --exclusively --revert-drift --rollback-trigger-alarm-arns none --monitoring-time-minutes 0
CloudFormation monitors ${release}.\n`,
  ],
  [
    'nothing if both are on',
    { [release]: 'ALARM', [heartbeat]: 'ALARM' },
    monitorNothing,
    `The alarm ${release} is in ALARM, and does not monitor this release, which is probably the fix.
The alarm ${heartbeat} is in ALARM, and does not monitor this release, which is probably the fix.
No alarm monitors this release.\n`,
  ],
])('a release is monitored by %s, and says so at once', async (_, is, options, said) => {
  states = is;
  vi.mocked(wait).mockResolvedValue(undefined);

  // Nothing was rolled back, so no alarm is about to be OK again.
  for (const status of ['UPDATE_COMPLETE', 'UPDATE_ROLLBACK_FAILED']) {
    stdout = '';
    expect(await runMonitoringOptions(status)).toEqual(options);
    expect(stdout).toBe(said);
  }
  expect(wait).not.toHaveBeenCalled();
});

it('a release after a rollback waits until the alarms are OK, and then has them monitored', async () => {
  states[heartbeat] = 'ALARM';
  vi.mocked(wait).mockResolvedValueOnce(undefined);
  vi.mocked(wait).mockImplementationOnce(async () => {
    states[heartbeat] = 'OK';
  });

  expect(await runMonitoringOptions('UPDATE_ROLLBACK_COMPLETE')).toEqual(
    monitor(release, heartbeat),
  );

  expect(stdout).toBe(`${name} was rolled back. Waiting for its alarms to be OK, at most 15 minutes.
${name} was rolled back. Waiting for its alarms to be OK, at most 14 minutes.
CloudFormation monitors ${release} and ${heartbeat}.\n`);
});

it('a release after a rollback waits for an alarm at most 15 minutes', async () => {
  states[release] = 'ALARM';
  vi.mocked(wait).mockResolvedValue(undefined);

  expect(await runMonitoringOptions('UPDATE_ROLLBACK_COMPLETE')).toEqual(monitor(heartbeat));

  const waitedMs = vi.mocked(wait).mock.calls.reduce((sum, [ms = 0]) => sum + ms, 0);
  expect(waitedMs).toBe(15 * 60_000);
});

it('a release that waits for an alarm ends with its signal', async () => {
  states[release] = 'ALARM';
  const stop = new AbortController();
  stop.abort();

  await expect(runMonitoringOptions('UPDATE_ROLLBACK_COMPLETE', stop)).rejects.toThrow(
    expect.objectContaining({ name: 'AbortError' }),
  );
});
