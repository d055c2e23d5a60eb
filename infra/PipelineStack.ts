import { CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import {
  OidcProviderNative,
  PolicyStatement,
  Role,
  WebIdentityPrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { accountStackName, stackName, stages } from './stages.ts';

const issuer = 'token.actions.githubusercontent.com';

/** Of the roles that `cdk bootstrap` makes, by which the CDK CLI deploys. */
type BootstrapRole = 'deploy' | 'file-publishing' | 'lookup';

/**
 * The roles that the workflows of a GitHub repository may take, by OIDC and without a stored key.
 *
 * One for each stage, which jobs of the GitHub environment of that name may take, and one that may
 * read templates, for pull requests. Deployed once by hand; needed for the pipeline alone.
 */
export class PipelineStack extends Stack {
  constructor(scope: Construct, id: string, { repository }: { repository: string }) {
    super(scope, id, {
      description: `The roles of the workflows of ${repository}`,
      terminationProtection: true,
    });
    // An account has one provider for an issuer, so another stack may not make it again.
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

    const stacks = [accountStackName, ...stages.map(({ name }) => stackName(name))];
    const diff = roleFor('Diff', 'pull_request');
    // Not the lookup role of the bootstrap, as `cdk diff` would like best: that one may read all data
    // of the account. Without it the CLI goes on with the role that it has.
    diff.addToPolicy(
      new PolicyStatement({
        actions: ['cloudformation:DescribeStacks', 'cloudformation:GetTemplate'],
        resources: stacks.map((stack) => this.arnOfStack(stack)),
      }),
    );
    acknowledgeNames(diff, 'cloudformation', ...stacks.map((stack) => `stack/${stack}/*`));
    new CfnOutput(this, 'DiffRoleArn', { value: diff.roleArn });

    for (const { name } of stages) {
      const deploy = roleFor(`Deploy-${name}`, `environment:${name}`);
      deploy.addToPolicy(this.assume('deploy', 'file-publishing', 'lookup'));
      for (const statement of this.issueKeys(stackName(name))) deploy.addToPolicy(statement);
      acknowledgeNames(deploy, 'cloudformation', `stack/${stackName(name)}/*`);
      acknowledgeNames(deploy, 'dynamodb', `table/${stackName(name)}-ApiKeys*`);
      new CfnOutput(this, `DeployRoleArn-${name}`, { value: deploy.roleArn });
    }
  }

  private assume(...roles: BootstrapRole[]): PolicyStatement {
    return new PolicyStatement({
      actions: ['sts:AssumeRole'],
      resources: roles.map((role) =>
        this.formatArn({
          service: 'iam',
          region: '',
          resource: 'role',
          resourceName: `cdk-hnb659fds-${role}-role-${this.account}-${this.region}`,
        }),
      ),
    });
  }

  /** What `npm run keys` does, so that each smoke test has a key of its own. */
  private issueKeys(stack: string): PolicyStatement[] {
    return [
      new PolicyStatement({
        actions: ['cloudformation:DescribeStacks'],
        resources: [this.arnOfStack(stack)],
      }),
      new PolicyStatement({
        actions: ['dynamodb:PutItem', 'dynamodb:Scan', 'dynamodb:UpdateItem'],
        resources: [
          this.formatArn({
            service: 'dynamodb',
            resource: 'table',
            resourceName: `${stack}-ApiKeys*`,
          }),
        ],
      }),
    ];
  }

  private arnOfStack(name: string): string {
    return this.formatArn({
      service: 'cloudformation',
      resource: 'stack',
      resourceName: `${name}/*`,
    });
  }
}

function acknowledgeNames(role: Role, service: string, ...resources: string[]): void {
  for (const resource of resources) {
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:${service}:<AWS::Region>:<AWS::AccountId>:${resource}]`,
      reason: 'CloudFormation puts an id behind the name that it gives to a stack or a table.',
    });
  }
}
