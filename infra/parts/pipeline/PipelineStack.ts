import { Aws, CfnOutput, type Environment, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  OidcProviderNative,
  PolicyStatement,
  Role,
  WebIdentityPrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { tableName } from '../../../lib/tables.ts';
import { stackName } from '../../core/stackNames.ts';

const issuer = 'token.actions.githubusercontent.com';

/** An account has one stack with this name, whose role is for one stage. */
export const pipelineStackName = 'PetStore-pipeline';

type PipelineStackProps = {
  repository: string;
  stageName: string;
  env: Environment;
};

/**
 * The role that the deploying workflow of a GitHub repository assumes by OIDC, without a stored key, in
 * the account of one stage.
 *
 * Only jobs of the GitHub environment with the stage's name get the role. It may do anything in the
 * account through the roles of `cdk bootstrap`. An operator deploys this stack once.
 */
export class PipelineStack extends Stack {
  constructor(scope: Construct, id: string, props: PipelineStackProps) {
    const { repository, stageName: name, env } = props;
    super(scope, id, {
      stackName: pipelineStackName,
      env,
      description: `The role that the workflows of ${repository} assume`,
      terminationProtection: true,
    });
    // An account can have only one provider for an issuer, and so only one stack of this kind.
    const provider = new OidcProviderNative(this, 'GitHub', {
      url: `https://${issuer}`,
      clientIds: ['sts.amazonaws.com'],
    });
    // Other stacks of the account may use the provider, which could be imported into this one.
    provider.applyRemovalPolicy(RemovalPolicy.RETAIN);
    const deploy = new Role(this, `Deploy-${name}`, {
      assumedBy: new WebIdentityPrincipal(provider.oidcProviderArn, {
        StringEquals: {
          [`${issuer}:aud`]: 'sts.amazonaws.com',
          [`${issuer}:sub`]: `repo:${repository}:environment:${name}`,
        },
      }),
    });
    deploy.addToPolicy(
      new PolicyStatement({
        actions: ['sts:AssumeRole'],
        // The roles of `cdk bootstrap` that the CDK CLI deploys with.
        resources: ['deploy', 'file-publishing', 'lookup'].map(
          (role) =>
            `arn:${Aws.PARTITION}:iam::${Aws.ACCOUNT_ID}:role/cdk-${this.synthesizer.bootstrapQualifier}-${role}-role-${Aws.ACCOUNT_ID}-${Aws.REGION}`,
        ),
      }),
    );
    const allow = (service: string, resource: string, ...actions: string[]) => {
      deploy.addToPolicy(
        new PolicyStatement({
          actions: actions.map((action) => `${service}:${action}`),
          resources: [
            `arn:${Aws.PARTITION}:${service}:${Aws.REGION}:${Aws.ACCOUNT_ID}:${resource}`,
          ],
        }),
      );
      if (!resource.endsWith('*')) return;
      Validations.of(deploy).acknowledge({
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:${service}:<AWS::Region>:<AWS::AccountId>:${resource}]`,
        reason:
          'CloudFormation appends an id to the name of a stack, a release may add a table, and AWS asks for the right to read every alarm.',
      });
    };
    // `npm run deploy` reads the outputs of the stack and the states of its alarms, waits for the indexes of the tables,
    // and issues an API key for its smoke test.
    allow('cloudformation', `stack/${stackName(name)}/*`, 'DescribeStacks');
    allow('cloudwatch', 'alarm:*', 'DescribeAlarms');
    allow('dynamodb', `table/${stackName(name)}-*`, 'DescribeTable');
    allow('dynamodb', `table/${tableName(name, 'apiKeys')}`, 'PutItem');
    new CfnOutput(this, `DeployRoleArn-${name}`, { value: deploy.roleArn });
  }
}
