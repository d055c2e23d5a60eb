import { type App, Stack, Validations } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { deploymentContext } from './deploymentContext.ts';
import { PetStoreStack } from './PetStoreStack.ts';
import { PipelineStack } from './PipelineStack.ts';
import { accountStackName, pipelineStackName, stackName, stages } from './stages.ts';

/** Adds the stacks that the context of the app asks for: one for each stage, and the shared ones. */
export function addStacks(app: App): void {
  const context = deploymentContext(app);
  const account = context.without.has('accessLogs')
    ? undefined
    : new AccountStack(app, accountStackName);
  for (const stage of stages) {
    // A stage that must not fail has no stack to deploy while the fault is on.
    if (context.hasFault && !stage.allowsFault) continue;
    const stack = new PetStoreStack(app, stackName(stage.name), { stage, context });
    // API Gateway refuses access logs until it has the role.
    if (account) stack.addStackDependency(account);
  }
  const { githubRepository: repository } = context;
  if (repository) new PipelineStack(app, pipelineStackName, { repository });
}

/** The role that API Gateway writes access logs with. An account has one in each Region, for all stages. */
class AccountStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      description: 'The role that API Gateway writes access logs with, for this account and Region',
      // Every API of the account and Region depends on this role, not only the pet store.
      terminationProtection: true,
    });
    const role = new Role(this, 'ApiGatewayLogRole', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs'),
      ],
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
      reason:
        'API Gateway tests the role and refuses one with fewer permissions than this policy. All APIs of the account share the role, so their log groups are not known here.',
    });
    const account = new CfnAccount(this, 'ApiGatewayAccount', { cloudWatchRoleArn: role.roleArn });
    // The role needs its policy before API Gateway tests it.
    account.node.addDependency(role);
  }
}
