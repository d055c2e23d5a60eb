import { Stack, Validations } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * What an account has once in each Region, and all stages share: the role by which API Gateway
 * writes access logs.
 */
export class AccountStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      description:
        'The role by which API Gateway writes access logs, one for the account and Region',
      // Every API of the account and Region logs by this role, others than the pet store too.
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
        'API Gateway tests the role when it is set and refuses one that may do less than this policy; the role is shared by every API of the account, so its log groups are not known here.',
    });
    const account = new CfnAccount(this, 'ApiGatewayAccount', { cloudWatchRoleArn: role.roleArn });
    // The role has to have its policy before API Gateway tests it.
    account.node.addDependency(role);
  }
}
