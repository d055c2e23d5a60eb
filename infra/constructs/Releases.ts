import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type metricDimensions, metricNamespace, serviceName } from '../../lib/metricDimensions.ts';
import { operations } from '../../lib/operations.ts';
import type { Stage } from '../stages.ts';
import { RunbookAlarm } from './alerts.ts';
import { type ApiFunction, ServiceFunction } from './ServiceFunction.ts';

const deploymentConfigs = {
  canary: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
  allAtOnce: LambdaDeploymentConfig.ALL_AT_ONCE,
};

type ReleasesProps = {
  stage: Stage;
  trafficShift: Stage['trafficShift'];
  functions: readonly ApiFunction[];
  /** Whether alarms roll a release back. Without them only the hook can stop it. */
  hasAlarms: boolean;
};

/**
 * Releases new versions with CodeDeploy: a hook verifies the version before it gets traffic, then the
 * alias shifts to it.
 *
 * The alias returns to the previous version when an alarm goes off, or the deployment fails or is stopped.
 * The aliases shift one after the other: see `releaseInOrder`.
 */
export class Releases extends Construct {
  readonly application: LambdaApplication;

  constructor(scope: Construct, id: string, props: ReleasesProps) {
    super(scope, id);
    const { stage, trafficShift, functions, hasAlarms } = props;
    this.application = new LambdaApplication(this, 'Application');
    const role = addRole(this);

    for (const each of functions) {
      const { name, alias } = each;
      const hook = addHook(this, each, stage);
      const { functionArn } = alias.lambda;
      role.addToPolicy(
        new PolicyStatement({
          actions: [
            'lambda:GetAlias',
            'lambda:GetProvisionedConcurrencyConfig',
            'lambda:UpdateAlias',
          ],
          // The alias as text: with a reference, role and alias would depend on each other.
          resources: [functionArn, `${functionArn}:${alias.aliasName}`],
        }),
      );
      role.addToPolicy(
        new PolicyStatement({
          actions: ['lambda:InvokeFunction'],
          resources: [hook.functionArn],
        }),
      );
      new LambdaDeploymentGroup(this, name, {
        application: this.application,
        // The construct would add AWS's managed policy, and every version of the hook.
        role: role.withoutPolicyUpdates(),
        alias,
        deploymentConfig: deploymentConfigs[trafficShift],
        preHook: hook,
        ...(hasAlarms && { alarms: versionAlarms(this, each, stage) }),
        autoRollback: {
          failedDeployment: true,
          stoppedDeployment: true,
          ...(hasAlarms && { deploymentInAlarm: true }),
        },
      });
      alias.node.addDependency(role);
    }
    releaseInOrder(functions);
  }
}

/**
 * Shifts the aliases one after the other, readers first. They must understand what a new writer stores.
 *
 * Several deployments at once could leave the stack stuck: DECISIONS.md, section 13.
 */
function releaseInOrder(functions: readonly ApiFunction[]): void {
  const canWrite = ({ name }: ApiFunction) =>
    name !== 'fallback' && operations[name].method !== 'GET';
  const readersFirst = functions.toSorted((a, b) => Number(canWrite(a)) - Number(canWrite(b)));
  for (const [index, { alias }] of readersFirst.entries()) {
    const previous = readersFirst[index - 1];
    if (previous) alias.node.addDependency(previous.alias);
  }
}

/** Not AWSCodeDeployRoleForLambda…, which may move every alias of the account. */
function addRole(scope: Construct): Role {
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
  });
  role.addToPolicy(
    new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }),
  );
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'CodeDeploy does not document how it reads alarm states. Its managed policy allows all alarms; with less, a refused call would fail every deployment.',
  });
  return role;
}

/** Each function has its own hook, so the hook knows which version to verify. */
function addHook(scope: Construct, { name, alias }: ApiFunction, stage: Stage) {
  const target = alias.lambda;
  const hook = new ServiceFunction(scope, `${name}Hook`, {
    name: 'verifyVersion',
    stage,
    environment: { VERSION_ARN: alias.version.functionArn, STAGE: stage.name },
    statements: [
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [`${target.functionArn}:*`],
      }),
    ],
    // Time for the requests to a cold version, and the report to CodeDeploy.
    timeoutSeconds: 60,
  });
  const targetId = Stack.of(scope).getLogicalId(target.node.defaultChild as CfnFunction);
  Validations.of(hook).acknowledge({
    id: `AwsSolutions-IAM5[Resource::<${targetId}.Arn>:*]`,
    reason:
      'The hook may invoke any version of this one function. A permission for the new version only would be created moments before its use, and IAM takes seconds to apply it.',
  });
  return hook.function;
}

/** A canary takes five minutes, so these alarms evaluate one minute at a time. */
const period = Duration.minutes(1);

/**
 * The alarms that roll back a release of one function.
 *
 * - They count only the new version: a tenth of the traffic could go unnoticed among all requests.
 * - One failure is enough: a needless rollback costs a second deployment, a bad release hurts clients.
 * - Lambda's `Errors` are crashes and time-outs. Our code turns all other failures into a 5xx response.
 * - Each version has its own alarms. An alarm that moved on to the next version would keep its state.
 *   CodeDeploy stops a release while an alarm is on, so the fix of a bad version could not be released.
 */
function versionAlarms(
  scope: Construct,
  { name, alias }: ApiFunction,
  stage: Stage,
): RunbookAlarm[] {
  const functionVersion = alias.version.version;
  const crashes = alias.metricErrors({
    period,
    dimensionsMap: {
      FunctionName: alias.lambda.functionName,
      Resource: `${alias.lambda.functionName}:${alias.aliasName}`,
      ExecutedVersion: functionVersion,
    },
  });
  const serverErrors = new Metric({
    namespace: metricNamespace,
    metricName: 'ServerErrors',
    // CloudWatch has data only under the full set of dimensions.
    dimensionsMap: {
      service: serviceName,
      stage: stage.name,
      operation: name,
      functionVersion,
    } satisfies Record<(typeof metricDimensions)['ServerErrors'][number], string>,
    statistic: 'Sum',
    period,
  });
  const common = { runbook: 'New version fails', threshold: 1, nameEnding: `-${functionVersion}` };
  return [
    new RunbookAlarm(scope, `${name}-NewVersionCrashes`, {
      ...common,
      impact: `The newest version of ${name} crashed or timed out. A release in progress is rolled back.`,
      metric: crashes,
    }),
    new RunbookAlarm(scope, `${name}-NewVersionErrors`, {
      ...common,
      impact: `The newest version of ${name} returned a 5xx response. A release in progress is rolled back.`,
      metric: serverErrors,
    }),
  ];
}
