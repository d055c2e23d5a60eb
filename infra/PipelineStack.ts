import { type ArnComponents, Aws, CfnOutput, Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  OidcProviderNative,
  PolicyStatement,
  Role,
  WebIdentityPrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { pipelineStackName, stackName } from './stackNames.ts';
import { environmentOf, type Stage } from './stageRules.ts';

const issuer = 'token.actions.githubusercontent.com';

type PipelineStackProps = { repository: string; stage: Stage };

/**
 * The role that the deploying workflow of a GitHub repository assumes by OIDC, without a stored key, in
 * the account of one stage.
 *
 * Only jobs of the GitHub environment with the stage's name get the role. It may do anything in the
 * account through the roles of `cdk bootstrap`. An operator deploys this stack once.
 */
export class PipelineStack extends Stack {
  constructor(scope: Construct, id: string, { repository, stage }: PipelineStackProps) {
    super(scope, id, {
      stackName: pipelineStackName,
      env: environmentOf(stage.account),
      description: `The role that the workflows of ${repository} assume`,
      terminationProtection: true,
    });
    // An account has one provider per issuer: a second stack cannot create it again.
    const provider = new OidcProviderNative(this, 'GitHub', {
      url: `https://${issuer}`,
      clientIds: ['sts.amazonaws.com'],
    });
    const { name } = stage;
    const deploy = new Role(this, `Deploy-${name}`, {
      assumedBy: new WebIdentityPrincipal(provider.oidcProviderArn, {
        StringEquals: {
          [`${issuer}:aud`]: 'sts.amazonaws.com',
          [`${issuer}:sub`]: `repo:${repository}:environment:${name}`,
        },
      }),
      // The time limit of the job, enough for 20 operations.
      maxSessionDuration: Duration.hours(4),
    });
    const statements = [
      this.assumeBootstrapRoles(),
      ...this.issueKeys(stackName(name)),
      this.tellOperators(stackName(name)),
    ];
    for (const statement of statements) deploy.addToPolicy(statement);
    acknowledgeNames(deploy, 'cloudformation', `stack/${stackName(name)}/*`);
    acknowledgeNames(deploy, 'dynamodb', `table/${stackName(name)}-ApiKeys*`);
    acknowledgeNames(deploy, 'sns', `${stackName(name)}-AlarmTopic*`);
    new CfnOutput(this, `DeployRoleArn-${name}`, { value: deploy.roleArn });
  }

  /** The roles of `cdk bootstrap` that the CDK CLI deploys with. */
  private assumeBootstrapRoles(): PolicyStatement {
    return new PolicyStatement({
      actions: ['sts:AssumeRole'],
      resources: ['deploy', 'file-publishing', 'lookup'].map((role) =>
        this.arnOf({
          service: 'iam',
          region: '',
          resource: 'role',
          resourceName: `cdk-${this.synthesizer.bootstrapQualifier}-${role}-role-${Aws.ACCOUNT_ID}-${Aws.REGION}`,
        }),
      ),
    });
  }

  /** The permissions of `npm run keys`, so that each smoke test has its own API key. */
  private issueKeys(stack: string): PolicyStatement[] {
    return [
      new PolicyStatement({
        actions: ['cloudformation:DescribeStacks'],
        resources: [
          this.arnOf({
            service: 'cloudformation',
            resource: 'stack',
            resourceName: `${stack}/*`,
          }),
        ],
      }),
      new PolicyStatement({
        actions: ['dynamodb:PutItem', 'dynamodb:Scan', 'dynamodb:UpdateItem'],
        resources: [
          this.arnOf({ service: 'dynamodb', resource: 'table', resourceName: `${stack}-ApiKeys*` }),
        ],
      }),
    ];
  }

  /** A message to the recipient of the alarms, if the smoke test fails. */
  private tellOperators(stack: string): PolicyStatement {
    return new PolicyStatement({
      actions: ['sns:Publish'],
      resources: [this.arnOf({ service: 'sns', resource: `${stack}-AlarmTopic*` })],
    });
  }

  /** An ARN without literals of the account, which the ids of acknowledged findings do not contain. */
  private arnOf(components: ArnComponents): string {
    const { PARTITION: partition, REGION: region, ACCOUNT_ID: account } = Aws;
    return this.formatArn({ partition, region, account, ...components });
  }
}

function acknowledgeNames(role: Role, service: string, resource: string): void {
  Validations.of(role).acknowledge({
    id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:${service}:<AWS::Region>:<AWS::AccountId>:${resource}]`,
    reason: 'CloudFormation appends an id to the name of a stack, a table or a topic.',
  });
}
