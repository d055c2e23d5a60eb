import { Stack, Validations } from 'aws-cdk-lib';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { EventField } from 'aws-cdk-lib/aws-events';
import { type IGrantable, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { CfnAlias, CfnFunction, IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import {
  type ApiFunction,
  type Artifacts,
  type FunctionSettings,
  ServiceFunction,
} from '../../core/ServiceFunction.ts';
import type { Signals } from '../../core/signals.ts';
import { versionAlarm } from './versionAlarm.ts';

type ReleasedStage = FunctionSettings & { name: string };

type ReleasesProps = {
  stage: ReleasedStage;
  trafficShift: 'canary' | 'allAtOnce';
  artifacts: Artifacts;
  functions: readonly ApiFunction[];
};

/**
 * Releases new versions of the operations with CodeDeploy: a hook verifies the version before it gets
 * traffic, then the alias shifts to it.
 *
 * The alias returns to the previous version when an alarm goes off, or the deployment fails or is stopped.
 * The fallback is released without CodeDeploy, because it only responds with errors.
 *
 * In a direct release (`-c direct=true`), CloudFormation moves each alias itself, from wherever it is. The way out
 * of an emergency needs it, because CodeDeploy refuses an alias that an operator has moved.
 */
export class Releases extends Construct {
  readonly application: LambdaApplication;

  constructor(scope: Construct, id: string, props: ReleasesProps) {
    super(scope, id);
    const { stage, trafficShift, artifacts, functions } = props;
    this.application = new LambdaApplication(this, 'Application');
    const hook = addHook(this, stage, artifacts, this.application);
    const role = addRole(this);
    allow(role, ['lambda:InvokeFunction'], [hook.function.functionArn]);
    const hasCanary = trafficShift === 'canary';
    const isDirect = this.node.tryGetContext('direct') === 'true';

    for (const each of functions) {
      const { name, alias } = each;
      if (name === 'fallback') continue;
      const { functionArn } = alias.lambda;
      allow(
        role,
        ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
        // The function and its versions. AWS's managed policy would allow all functions.
        [functionArn, `${functionArn}:*`],
      );
      acknowledgeVersions(role, alias.lambda);
      allow(hook.function, ['lambda:InvokeFunction'], [`${functionArn}:*`]);
      acknowledgeVersions(hook, alias.lambda);
      const group = new LambdaDeploymentGroup(this, name, {
        application: this.application,
        // Otherwise the construct would add AWS's managed policy, and allow every version of the hook.
        role: role.withoutPolicyUpdates(),
        alias,
        deploymentConfig: hasCanary
          ? LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES
          : LambdaDeploymentConfig.ALL_AT_ONCE,
        preHook: hook.function as IFunction,
        alarms: hasCanary ? [versionAlarm(this, each, stage.name)] : [],
        // If `alarms` are set, the construct also rolls back on an alarm.
        autoRollback: { failedDeployment: true, stoppedDeployment: true },
      });
      // The construct itself allows the hook to report its result.
      allow(hook.function, ['codedeploy:GetDeployment'], [group.deploymentGroupArn]);
      if (isDirect) delete (alias.node.defaultChild as CfnAlias).cfnOptions.updatePolicy;
    }
  }
}

/** A release that fails or is rolled back. A notice, because CodeDeploy publishes no metrics. */
export function releaseSignals({ application }: Releases, stageName: string): Signals {
  const field = (name: string) => EventField.fromPath(`$.detail.${name}`);
  return {
    notices: [
      {
        name: 'ReleaseFailures',
        event: {
          source: ['aws.codedeploy'],
          detailType: ['CodeDeploy Deployment State-change Notification'],
          // A deployment that an alarm or an operator ends has the state STOP, not FAILURE.
          detail: { state: ['FAILURE', 'STOP'], application: [application.applicationName] },
        },
        problem: `Release of ${stageName}: deployment ${field('deploymentId')} of ${field('deploymentGroup')} ended with ${field('state')}. Clients stay on the previous version or return to it.`,
        runbook: 'Release failed',
        urgency: 'low',
      },
    ],
  };
}

/** Adds the function that verifies new versions. It asks CodeDeploy which version a deployment releases. */
function addHook(
  scope: Construct,
  stage: ReleasedStage,
  artifacts: Artifacts,
  { applicationArn }: LambdaApplication,
): ServiceFunction {
  const readAppSpec = new PolicyStatement({
    actions: ['codedeploy:GetApplicationRevision'],
    resources: [applicationArn],
  });
  return new ServiceFunction(scope, 'Hook', {
    name: 'verifyVersion',
    stage,
    artifacts,
    environment: { STAGE: stage.name },
    statements: [readAppSpec],
    timeoutSeconds: 60, // longer than its work, see functions/parts/verifyVersion.ts
  });
}

/** Adds the role of CodeDeploy. AWS's managed policy would let the role move every alias of the account. */
function addRole(scope: Construct): Role {
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
  });
  allow(role, ['cloudwatch:DescribeAlarms'], ['*']);
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'CodeDeploy does not document how it reads alarm states. Its managed policy allows all alarms; with less, a refused call would fail every deployment.',
  });
  return role;
}

function allow({ grantPrincipal }: IGrantable, actions: string[], resources: string[]): void {
  grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions, resources }));
}

function acknowledgeVersions(scope: Construct, target: IFunction): void {
  const id = Stack.of(scope).getLogicalId(target.node.defaultChild as CfnFunction);
  Validations.of(scope).acknowledge({
    id: `AwsSolutions-IAM5[Resource::<${id}.Arn>:*]`,
    reason:
      'Any version of this one function, and its alias. A permission for the new version only would be created moments before its use, and IAM takes seconds to apply it.',
  });
}
