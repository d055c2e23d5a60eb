import { Stack, Validations } from 'aws-cdk-lib';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Stage } from '../stages.ts';
import type { LiveFunction } from './LiveFunction.ts';
import { ServiceFunction } from './ServiceFunction.ts';
import { versionAlarms } from './versionAlarms.ts';

const deploymentConfigs = {
  canary: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
  allAtOnce: LambdaDeploymentConfig.ALL_AT_ONCE,
};

type ReleasesProps = {
  stage: Stage;
  trafficShift: Stage['trafficShift'];
  functions: readonly LiveFunction[];
  /** That of the functions, for the hooks read it by the same code. */
  environment: Record<string, string>;
  /** Whether alarms turn a release back; else the hook alone judges it. */
  hasAlarms: boolean;
};

/**
 * How new versions take over: CodeDeploy has each verified before it gets traffic, shifts the alias
 * to it, and puts the alias back when an alarm goes off, or the deployment fails or is stopped.
 */
export class Releases extends Construct {
  readonly application: LambdaApplication;

  constructor(scope: Construct, id: string, props: ReleasesProps) {
    super(scope, id);
    const { stage, trafficShift, functions, environment, hasAlarms } = props;
    this.application = new LambdaApplication(this, 'Application');
    const role = addRole(this);

    for (const live of functions) {
      const { name, alias } = live;
      const hook = addHook(this, live, { stage, environment });
      const { functionArn } = alias.lambda;
      role.addToPolicy(
        new PolicyStatement({
          actions: [
            'lambda:GetAlias',
            'lambda:GetProvisionedConcurrencyConfig',
            'lambda:UpdateAlias',
          ],
          // The alias by its text: by a reference, role and alias would wait for each other.
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
        // What the construct adds would be AWS's policy, and the hook with all of its versions.
        role: role.withoutPolicyUpdates(),
        alias,
        deploymentConfig: deploymentConfigs[trafficShift],
        preHook: hook,
        ...(hasAlarms && { alarms: versionAlarms(this, live, stage) }),
        autoRollback: {
          failedDeployment: true,
          stoppedDeployment: true,
          ...(hasAlarms && { deploymentInAlarm: true }),
        },
      });
      alias.node.addDependency(role);
    }
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
      'CodeDeploy reads the states of alarms, by a call that it does not document: with anything narrower than its managed policy has, a refusal would fail every deployment.',
  });
  return role;
}

/** One hook a function: so it is certain which version it is asked about. */
function addHook(
  scope: Construct,
  { name, alias }: LiveFunction,
  { stage, environment }: Pick<ReleasesProps, 'stage' | 'environment'>,
) {
  const target = alias.lambda;
  const hook = new ServiceFunction(scope, `${name}Hook`, {
    name: 'verifyVersion',
    stage,
    environment: { ...environment, VERSION_ARN: alias.version.functionArn },
    statements: [
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [`${target.functionArn}:*`],
      }),
    ],
    // Two requests to a version that starts, and the report.
    timeoutSeconds: 40,
  });
  const targetId = Stack.of(scope).getLogicalId(target.node.defaultChild as CfnFunction);
  Validations.of(hook).acknowledge({
    id: `AwsSolutions-IAM5[Resource::<${targetId}.Arn>:*]`,
    reason:
      'Any version of this one function: a permission for the new version alone would be made moments before it is used, and IAM takes seconds to spread it.',
  });
  return hook.function;
}
