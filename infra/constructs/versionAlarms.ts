import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { serviceMetric } from '../serviceMetric.ts';
import type { Stage } from '../stages.ts';
import type { LiveFunction } from './LiveFunction.ts';
import { ServiceAlarm } from './ServiceAlarm.ts';

const runbook = 'New version fails';

/** A deployment has five minutes to be judged, so these look at one of them at a time. */
const period = Duration.minutes(1);

/**
 * The alarms that turn a release of one function back.
 *
 * They count the new version alone: among all requests the tenth that it gets may drown. One failure
 * is enough, because a needless rollback costs a second deployment, and a bad release its clients.
 * Lambda's `Errors` are crashes and time-outs; the rest of what is wrong our code answers with a 5xx.
 *
 * Each version has alarms of its own. One that was changed to look at the next version would keep its
 * state, and CodeDeploy stops a release at once while an alarm is on: the repair of a version that
 * fails could not be released.
 */
export function versionAlarms(
  scope: Construct,
  { name, alias }: LiveFunction,
  stage: Pick<Stage, 'name'>,
): ServiceAlarm[] {
  const { version } = alias.version;
  const nameEnding = `-${version}`;
  const crashes = alias.metricErrors({
    period,
    dimensionsMap: {
      FunctionName: alias.lambda.functionName,
      Resource: `${alias.lambda.functionName}:${alias.aliasName}`,
      ExecutedVersion: version,
    },
  });
  const serverErrors = serviceMetric(
    'ServerErrors',
    { stage: stage.name, operation: name, version },
    { period },
  );
  return [
    new ServiceAlarm(scope, `${name}-NewVersionCrashes`, {
      impact: `The newest version of ${name} crashed or timed out. A release that is under way is turned back.`,
      runbook,
      metric: crashes,
      threshold: 1,
      nameEnding,
    }),
    new ServiceAlarm(scope, `${name}-NewVersionErrors`, {
      impact: `The newest version of ${name} answered with a 5xx. A release that is under way is turned back.`,
      runbook,
      metric: serverErrors,
      threshold: 1,
      nameEnding,
    }),
  ];
}
