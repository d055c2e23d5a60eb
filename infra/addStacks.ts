import { type App, Stack, Validations } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { checkStages } from './checkStages.ts';
import { deploymentContext } from './deploymentContext.ts';
import { PetStoreStack } from './PetStoreStack.ts';
import { PipelineStack } from './PipelineStack.ts';
import {
  type Account,
  accountStackName,
  stages as allStages,
  environmentOf,
  pipelineStackName,
  type Stage,
  stackName,
} from './stages.ts';

/** Adds a stack for each stage, and the stacks of their accounts that the settings ask for. */
export function addStacks(app: App, stages: readonly Stage[] = allStages): void {
  checkStages(stages);
  const context = deploymentContext(app);
  const accountStacks = new Map<Account, AccountStack>();
  for (const stage of stages) {
    // A stage that must not fail has no stack to deploy while the fault is on.
    if (context.hasFault && !stage.allowsFault) continue;
    const { account } = stage;
    const stack = new PetStoreStack(app, stackName(stage.name), { stage, context });
    if (!account.hasApiGatewayLogRole && !context.without.has('accessLogs')) {
      const accountStack = accountStacks.get(account) ?? new AccountStack(app, account);
      accountStacks.set(account, accountStack);
      // API Gateway refuses access logs until it has the role.
      stack.addStackDependency(accountStack);
    }
    const { githubRepository: repository } = account;
    if (repository) new PipelineStack(app, idOf(pipelineStackName, account), { repository, stage });
  }
}

/** The id of an account's stack, with the account: several accounts have a stack of this name. */
function idOf(stackName: string, { id }: Account): string {
  return id ? `${stackName}-${id}` : stackName;
}

/** The role that API Gateway writes access logs with. An account has one in each Region, for all stages. */
class AccountStack extends Stack {
  constructor(scope: Construct, account: Account) {
    super(scope, idOf(accountStackName, account), {
      stackName: accountStackName,
      env: environmentOf(account),
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
    const settings = new CfnAccount(this, 'ApiGatewayAccount', { cloudWatchRoleArn: role.roleArn });
    // The role needs its policy before API Gateway tests it.
    settings.node.addDependency(role);
  }
}
