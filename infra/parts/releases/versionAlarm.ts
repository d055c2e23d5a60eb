import { Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { ApiFunction } from '../../core/ServiceFunction.ts';
import { failedPercent, functionMetric } from '../../core/serviceMetrics.ts';
import { runbookLink } from '../../core/signals.ts';

/**
 * A release is rolled back if this number and this percentage of its requests fail within a period.
 *
 * A period is five minutes, as long as the canary. CloudWatch evaluates the last five minutes once a minute.
 */
const rollback = { failures: 3, percent: 1 };

/**
 * The alarm that rolls back a release of one function.
 *
 * - The alarm counts only the new version. Failures in a tenth of the traffic could go unnoticed among all requests.
 * - A failure is a crash, a time-out or a 5xx response other than 503. A 503 is the fault of the database.
 * - A few failures by chance roll nothing back. The rollback is a deployment too, with the alarm of the old
 *   version. With a lower threshold, chance could fail the rollback as well and leave the stack stuck.
 * - Each version has its own alarm. CodeDeploy stops a release while its alarm is on. If all versions shared
 *   an alarm, a bad version would turn the alarm on, and the fix could not be released.
 */
export function versionAlarm(
  scope: Construct,
  { name, alias }: ApiFunction,
  stageName: string,
): Alarm {
  const functionVersion = alias.version.version;
  // Lambda publishes metrics with these dimensions while the alias points to two versions.
  const ofVersion = {
    dimensionsMap: {
      FunctionName: alias.lambda.functionName,
      Resource: `${alias.lambda.functionName}:${alias.aliasName}`,
      ExecutedVersion: functionVersion,
    },
  };
  return new Alarm(scope, `${name}-NewVersionFails`, {
    alarmName: `${Stack.of(scope).stackName}-${name}-NewVersionFails-${functionVersion}`,
    alarmDescription: `The newest version of ${name} failed at least ${rollback.failures} requests within 5 minutes, and ${rollback.percent} % of all. A release in progress is rolled back. ${runbookLink('New version fails')}`,
    metric: failedPercent(rollback.failures, {
      crashes: alias.metricErrors(ofVersion),
      errors: functionMetric('ServerErrors', stageName, { operation: name, functionVersion }),
      requests: alias.metricInvocations(ofVersion),
    }),
    threshold: rollback.percent,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}
