import { type ArnComponents, Aws, CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import {
  OidcProviderNative,
  PolicyStatement,
  Role,
  WebIdentityPrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import {
  accountStackName,
  environmentOf,
  pipelineStackName,
  type Stage,
  stackName,
} from './stages.ts';

const issuer = 'token.actions.githubusercontent.com';

type PipelineStackProps = { repository: string; stage: Stage };

/**
 * The roles that the workflows of a GitHub repository assume by OIDC, without a stored key, in the
 * account of one stage.
 *
 * One role is for the jobs of the GitHub environment with the stage's name. It may do anything in the
 * account through the roles of `cdk bootstrap`. Pull requests have a role that may read templates. An
 * operator deploys this stack once; only the pipeline needs it.
 */
export class PipelineStack extends Stack {
  constructor(scope: Construct, id: string, { repository, stage }: PipelineStackProps) {
    super(scope, id, {
      stackName: pipelineStackName,
      env: environmentOf(stage.account),
      description: `The roles that the workflows of ${repository} assume`,
      terminationProtection: true,
    });
    // An account has one provider per issuer: a second stack cannot create it again.
    const provider = new OidcProviderNative(this, 'GitHub', {
      url: `https://${issuer}`,
      clientIds: ['sts.amazonaws.com'],
    });
    const roleFor = (name: string, jobs: string) =>
      new Role(this, name, {
        assumedBy: new WebIdentityPrincipal(provider.oidcProviderArn, {
          StringEquals: {
            [`${issuer}:aud`]: 'sts.amazonaws.com',
            [`${issuer}:sub`]: `repo:${repository}:${jobs}`,
          },
        }),
      });

    const { name } = stage;
    const stacks = [accountStackName, stackName(name)];
    const diff = roleFor('Diff', 'pull_request');
    // Not the lookup role of the bootstrap, which `cdk diff` prefers: it may read all data of the
    // account. Without it, the CLI continues with its current role.
    diff.addToPolicy(
      new PolicyStatement({
        actions: ['cloudformation:DescribeStacks', 'cloudformation:GetTemplate'],
        resources: stacks.map((stack) => this.arnOfStack(stack)),
      }),
    );
    acknowledgeNames(diff, 'cloudformation', ...stacks.map((stack) => `stack/${stack}/*`));
    new CfnOutput(this, 'DiffRoleArn', { value: diff.roleArn });

    const deploy = roleFor(`Deploy-${name}`, `environment:${name}`);
    const statements = [
      this.assumeBootstrapRoles(),
      ...this.issueKeys(stackName(name)),
      ...this.readQuotas(),
    ];
    for (const statement of statements) deploy.addToPolicy(statement);
    Validations.of(deploy).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Settings and limits of the whole account belong to no resource.',
    });
    acknowledgeNames(deploy, 'cloudformation', `stack/${stackName(name)}/*`);
    acknowledgeNames(deploy, 'dynamodb', `table/${stackName(name)}-ApiKeys*`);
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
          resourceName: `cdk-hnb659fds-${role}-role-${Aws.ACCOUNT_ID}-${Aws.REGION}`,
        }),
      ),
    });
  }

  /** The permissions of `npm run keys`, so that each smoke test has its own API key. */
  private issueKeys(stack: string): PolicyStatement[] {
    return [
      new PolicyStatement({
        actions: ['cloudformation:DescribeStacks'],
        resources: [this.arnOfStack(stack)],
      }),
      new PolicyStatement({
        actions: ['dynamodb:PutItem', 'dynamodb:Scan', 'dynamodb:UpdateItem'],
        resources: [
          this.arnOf({ service: 'dynamodb', resource: 'table', resourceName: `${stack}-ApiKeys*` }),
        ],
      }),
    ];
  }

  /** The permissions of `npm run preflight`. */
  private readQuotas(): PolicyStatement[] {
    return [
      new PolicyStatement({
        actions: ['lambda:GetAccountSettings', 'dynamodb:DescribeLimits'],
        resources: ['*'],
      }),
      new PolicyStatement({
        actions: ['apigateway:GET'],
        resources: [this.arnOf({ service: 'apigateway', account: '', resource: '/account' })],
      }),
    ];
  }

  private arnOfStack(name: string): string {
    return this.arnOf({ service: 'cloudformation', resource: 'stack', resourceName: `${name}/*` });
  }

  /** An ARN without the literal account, which the ids of acknowledged findings do not contain. */
  private arnOf(components: ArnComponents): string {
    return this.formatArn({ account: Aws.ACCOUNT_ID, ...components });
  }
}

function acknowledgeNames(role: Role, service: string, ...resources: string[]): void {
  for (const resource of resources) {
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:${service}:<AWS::Region>:<AWS::AccountId>:${resource}]`,
      reason: 'CloudFormation appends an id to the name of a stack or a table.',
    });
  }
}
