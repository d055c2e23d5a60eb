import { setTimeout as wait } from 'node:timers/promises';
import { CloudWatch } from '@aws-sdk/client-cloudwatch';
import { heartbeatAlarmOutput, releaseAlarmOutput } from '../infra/core/stackNames.ts';
import { print } from './command.ts';
import { throughProxy } from './throughProxy.ts';

export type ServiceStack = {
  name: string;
  /** Absent: the stack does not exist. */
  status: string | undefined;
  outputs: Record<string, string | undefined>;
};

/**
 * Lets an update be monitored by no alarm. CloudFormation keeps the alarms and minutes of the last update, waits
 * without an alarm too, and fails an update whose alarm is missing.
 */
const unmonitored = ['--rollback-trigger-alarm-arns', 'none', '--monitoring-time-minutes', '0'];

/**
 * How long CloudFormation monitors the alarms after an update: their period of five minutes, and as long again for the
 * access log and its metrics to arrive.
 */
export const monitoringMinutes = 10;

/**
 * Returns the options with which `cdk deploy` lets CloudFormation monitor the alarms of a service, and prints which.
 *
 * With an alarm that is in ALARM or missing, CloudFormation would roll back every release, the fix too.
 */
export async function monitoringOptions(
  { name, status, outputs }: ServiceStack,
  stop: AbortSignal,
): Promise<string[]> {
  const arns = [outputs[releaseAlarmOutput], outputs[heartbeatAlarmOutput]].filter(
    (arn) => arn !== undefined,
  );
  let alarms = await describeAlarms(arns, stop);
  // After a rollback, the errors of the bad version keep its alarm in ALARM for some minutes.
  let minutes = status === 'UPDATE_ROLLBACK_COMPLETE' ? 15 : 0;
  for (; minutes > 0 && alarms.some(({ state }) => state === 'ALARM'); minutes -= 1) {
    print(`${name} was rolled back. Waiting for its alarms to be OK, at most ${minutes} minutes.`);
    await wait(60_000, undefined, { signal: stop });
    alarms = await describeAlarms(arns, stop);
  }

  for (const alarm of alarms) {
    if (alarm.state === 'ALARM') {
      print(
        `The alarm ${alarm.name} is in ALARM, and does not monitor this release, which is probably the fix.`,
      );
    }
    if (alarm.state === undefined) {
      print(`The alarm ${alarm.name} is missing, and does not monitor this release. This recreates it, and empties the firewall's list of addresses:
  npx cdk deploy ${name} --exclusively --revert-drift ${unmonitored.join(' ')}`);
    }
  }
  const monitored = alarms.filter(({ state }) => state !== undefined && state !== 'ALARM');
  if (monitored.length === 0) {
    print('No alarm monitors this release.');
    return unmonitored;
  }
  print(`CloudFormation monitors ${monitored.map((alarm) => alarm.name).join(' and ')}.`);
  return [
    // The option takes one ARN at a time.
    ...monitored.flatMap(({ arn }) => ['--rollback-trigger-alarm-arns', arn]),
    '--monitoring-time-minutes',
    `${monitoringMinutes}`,
  ];
}

/** Returns alarms with their states. An alarm that is missing has none. */
async function describeAlarms(arns: string[], stop: AbortSignal) {
  // Without names, AWS would describe every alarm of the account.
  if (arns.length === 0) return [];
  const alarms = arns.map((arn) => ({ arn, name: arn.replace(/.*:alarm:/, '') }));
  const { MetricAlarms = [] } = await new CloudWatch({
    requestHandler: throughProxy,
  }).describeAlarms({ AlarmNames: alarms.map(({ name }) => name) }, { abortSignal: stop });
  const states = new Map(MetricAlarms.map((each) => [each.AlarmName, each.StateValue]));
  return alarms.map((alarm) => ({ ...alarm, state: states.get(alarm.name) }));
}
