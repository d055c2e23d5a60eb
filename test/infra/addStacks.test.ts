import { type App, Stack } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { stages } from '../../infra/stages.ts';
import { templateDifferences } from '../helpers/templateDifferences.ts';
import {
  defaultApp,
  functionNames,
  propertiesOf,
  stackOf,
  synthesise,
  templateOf,
  templates,
} from '../helpers/templates.ts';

const bareApp = synthesise({ without: 'codeDeploy,waf,backup,accessLogs,tracing,alarms' });

const stacksOf = (app: App) => app.node.children.filter((child) => Stack.isStack(child));
const stackNames = (app: App) => stacksOf(app).map(({ stackName }) => stackName);

/** `rule: path of the resource` for each finding of cdk-nag that is not acknowledged. */
function findings(app: App): string[] {
  return stacksOf(app).flatMap((stack) =>
    new AwsSolutionsChecks()
      .validateScope(stack)
      .violations.flatMap(({ ruleName, violatingResources }) =>
        violatingResources.map(({ constructPath }) => `${ruleName}: ${constructPath}`),
      ),
  );
}

describe('addStacks', () => {
  it('adds a stack for each stage, and an account stack that both depend on', () => {
    const ofStages = ['PetStore-v1-production', 'PetStore-v1-staging'];

    expect(stackNames(defaultApp)).toEqual(['PetStore-account', ...ofStages]);
    for (const name of ofStages) {
      expect(stackOf(defaultApp, name).dependencies.map(({ stackName }) => stackName)).toEqual([
        'PetStore-account',
      ]);
    }
  });

  it('differs between the stages only in these settings', () => {
    // Each function has a release hook, and each of both has a log. The others are the access log and the
    // heartbeat's.
    const functionCount = functionNames.length;
    const logCount = 2 * functionCount + 2;
    const [production, staging] = templates.map(({ stage, template }) => ({
      name: stage.name,
      template,
    }));
    if (!production || !staging) throw new Error('There are two stages.');

    expect(templateDifferences(production, staging)).toEqual([
      'AWS::ApiGateway::Stage × 1 Properties.MethodSettings.0.ThrottlingBurstLimit: 1000 | 100',
      'AWS::ApiGateway::Stage × 1 Properties.MethodSettings.0.ThrottlingRateLimit: 500 | 50',
      'AWS::Backup::BackupPlan × 1 there | missing',
      'AWS::Backup::BackupSelection × 1 there | missing',
      'AWS::Backup::BackupVault × 1 there | missing',
      'AWS::Budgets::Budget × 1 Properties.Budget.BudgetLimit.Amount: 100 | 20',
      'AWS::CloudWatch::Alarm × 1 there | missing',
      `AWS::CodeDeploy::DeploymentGroup × ${functionCount} Properties.DeploymentConfigName: "CodeDeployDefault.LambdaCanary10Percent5Minutes" | "CodeDeployDefault.LambdaAllAtOnce"`,
      'AWS::DynamoDB::Table × 1 Properties.GlobalSecondaryIndexes.0.OnDemandThroughput.MaxReadRequestUnits: 6000 | 600',
      'AWS::DynamoDB::Table × 1 Properties.GlobalSecondaryIndexes.0.OnDemandThroughput.MaxWriteRequestUnits: 2000 | 200',
      'AWS::DynamoDB::Table × 1 Properties.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled: true | false',
      'AWS::DynamoDB::Table × 2 DeletionPolicy: "Retain" | "Delete"',
      'AWS::DynamoDB::Table × 2 Properties.DeletionProtectionEnabled: true | false',
      'AWS::DynamoDB::Table × 2 UpdateReplacePolicy: "Retain" | "Delete"',
      'AWS::DynamoDB::Table × 3 Properties.OnDemandThroughput.MaxReadRequestUnits: 6000 | 600',
      'AWS::DynamoDB::Table × 3 Properties.OnDemandThroughput.MaxWriteRequestUnits: 2000 | 200',
      'AWS::Events::Rule × 1 there | missing',
      'AWS::IAM::Role × 1 there | missing',
      `AWS::Lambda::Function × ${2 * functionCount} Properties.Environment.Variables.IDS_PER_LEASE: "10" | "1"`,
      `AWS::Logs::LogGroup × ${logCount} DeletionPolicy: "Retain" | "Delete"`,
      `AWS::Logs::LogGroup × ${logCount} Properties.RetentionInDays: 365 | 30`,
      `AWS::Logs::LogGroup × ${logCount} UpdateReplacePolicy: "Retain" | "Delete"`,
      'AWS::WAFv2::WebACL × 1 there | missing',
      'AWS::WAFv2::WebACLAssociation × 1 there | missing',
    ]);
    expect(
      ['account', 'v1-production', 'v1-staging'].map(
        (name) => stackOf(defaultApp, `PetStore-${name}`).terminationProtection,
      ),
    ).toEqual([true, true, false]);
  });

  // `npm run synth` proves the same of the default stacks.
  it('leaves no finding of cdk-nag unacknowledged without the optional features', () => {
    expect(findings(bareApp)).toEqual([]);
  });

  it('leaves out the features that the context names', () => {
    const template = templateOf(bareApp, 'PetStore-v1-production');
    const text = JSON.stringify(template.toJSON());

    expect(stackNames(bareApp)).toEqual(['PetStore-v1-production', 'PetStore-v1-staging']);
    expect(text).not.toMatch(/AWS::(CodeDeploy|CloudWatch|SNS|Events|WAFv2|Backup|Budgets|XRay)/);
    expect(text).not.toMatch(/xray|TracingConfig|TracingEnabled":true|AccessLog/);
    expect(propertiesOf(template, 'AWS::Lambda::Function')).toHaveLength(functionNames.length);
  });

  it('adds the pipeline stack if a repository is named, without findings', () => {
    const app = synthesise({ githubRepository: 'example/petstore', without: 'accessLogs,alarms' });

    expect(stackNames(app)).toContain('PetStore-pipeline');
    expect(findings(app)).toEqual([]);
  });

  it('adds no stack for a stage that must not fail while the fault is on', () => {
    const canFail = stages.filter(({ allowsFault }) => allowsFault).map(({ name }) => name);

    expect(canFail).toEqual(['v1-staging']);
    expect(stackNames(synthesise({ fault: 'on' }))).toEqual([
      'PetStore-account',
      'PetStore-v1-staging',
    ]);
  });
});

describe('AccountStack', () => {
  it('gives API Gateway the role that it writes access logs with', () => {
    const template = templateOf(defaultApp, 'PetStore-account');
    const [role] = propertiesOf(template, 'AWS::IAM::Role');

    expect(role?.AssumeRolePolicyDocument).toMatchObject({
      Statement: [{ Principal: { Service: 'apigateway.amazonaws.com' } }],
    });
    expect(JSON.stringify(role?.ManagedPolicyArns)).toContain(
      'service-role/AmazonAPIGatewayPushToCloudWatchLogs',
    );
    template.resourceCountIs('AWS::ApiGateway::Account', 1);
    template.resourceCountIs('AWS::IAM::Policy', 0);
  });
});
