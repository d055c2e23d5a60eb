import { type App, Stack } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { stages } from '../../infra/stages.ts';
import { stagesWith } from '../helpers/stagesWith.ts';
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

const ofStages = ['PetStore-v1-production', 'PetStore-v1-staging'];
const newAccount = synthesise({}, stagesWith({ account: { hasApiGatewayLogRole: false } }));

/** Each stage in an account of its own, with a pipeline. */
const pipelines = synthesise({}, stagesWith({}, accountsWith('111122223333', '444455556666')));

function accountsWith(...ids: [string, string]) {
  const [first, second] = ids.map((id) => ({
    account: { id, hasApiGatewayLogRole: false, githubRepository: 'example/petstore' },
  }));
  return { 'v1-production': first, 'v1-staging': second } as Parameters<typeof stagesWith>[1];
}

describe('addStacks', () => {
  it('adds a stack for each stage, and does not change the role of the account', () => {
    expect(stackNames(defaultApp)).toEqual(ofStages);
  });

  it('adds an account stack that both stages depend on, if the account has no log role', () => {
    expect(stackNames(newAccount).sort()).toEqual(['PetStore-account', ...ofStages]);
    for (const name of ofStages) {
      expect(stackOf(newAccount, name).dependencies.map(({ stackName }) => stackName)).toEqual([
        'PetStore-account',
      ]);
    }
  });

  it('pins each stage, its account stack and its pipeline to their account, without findings', () => {
    const accounts = stacksOf(pipelines).map(({ stackName, account }) => [stackName, account]);

    expect(accounts.sort()).toEqual([
      ['PetStore-account', '111122223333'],
      ['PetStore-account', '444455556666'],
      ['PetStore-pipeline', '111122223333'],
      ['PetStore-pipeline', '444455556666'],
      ['PetStore-v1-production', '111122223333'],
      ['PetStore-v1-staging', '444455556666'],
    ]);
    expect(findings(pipelines)).toEqual([]);
  });

  it('refuses a pipeline for two stages in one account', () => {
    const shared = accountsWith('111122223333', '111122223333');

    expect(() => synthesise({}, stagesWith({}, shared))).toThrow(
      'v1-production and v1-staging share an account: what deploys one could change the other.',
    );
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
      'AWS::ApiGateway::Stage × 1 Properties.MethodSettings.0.ThrottlingBurstLimit: 14 | 12',
      'AWS::ApiGateway::Stage × 1 Properties.MethodSettings.0.ThrottlingRateLimit: 7 | 2',
      ...[1, 2, 3].flatMap((index) => [
        `AWS::ApiGateway::Stage × 1 Properties.MethodSettings.${index}.ThrottlingBurstLimit: 300 | 270`,
        `AWS::ApiGateway::Stage × 1 Properties.MethodSettings.${index}.ThrottlingRateLimit: 150 | 45`,
      ]),
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
      'AWS::IAM::Policy × 1 there | missing',
      'AWS::IAM::Role × 2 there | missing',
      `AWS::Lambda::Function × ${2 * functionCount} Properties.Environment.Variables.IDS_PER_LEASE: "10" | "1"`,
      'AWS::Logs::LogGroup × 1 Properties.RetentionInDays: 90 | 30',
      `AWS::Logs::LogGroup × ${logCount} DeletionPolicy: "Retain" | "Delete"`,
      `AWS::Logs::LogGroup × ${logCount} UpdateReplacePolicy: "Retain" | "Delete"`,
      `AWS::Logs::LogGroup × ${logCount - 1} Properties.RetentionInDays: 365 | 30`,
      'AWS::WAFv2::WebACL × 1 there | missing',
      'AWS::WAFv2::WebACLAssociation × 1 there | missing',
      'AWS::XRay::SamplingRule × 1 Properties.SamplingRule.FixedRate: 0.001 | 0.01',
    ]);
    expect(
      ['account', 'v1-production', 'v1-staging'].map(
        (name) => stackOf(newAccount, `PetStore-${name}`).terminationProtection,
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

    expect(stackNames(bareApp)).toEqual(ofStages);
    expect(text).not.toMatch(/AWS::(CodeDeploy|CloudWatch|SNS|Events|WAFv2|Backup|Budgets|XRay)/);
    expect(text).not.toMatch(/xray|TracingConfig|TracingEnabled":true|AccessLog/);
    expect(propertiesOf(template, 'AWS::Lambda::Function')).toHaveLength(functionNames.length);
  });

  it('leaves out the firewall and keeps the backups, if the context names waf only', () => {
    const template = templateOf(synthesise({ without: 'waf' }), 'PetStore-v1-production');

    template.resourceCountIs('AWS::WAFv2::WebACL', 0);
    template.resourceCountIs('AWS::Backup::BackupPlan', 1);
  });

  it('adds no stack for a stage that must not fail while the fault is on', () => {
    const canFail = stages.filter(({ allowsFault }) => allowsFault).map(({ name }) => name);

    expect(canFail).toEqual(['v1-staging']);
    expect(stackNames(synthesise({ fault: 'on' }))).toEqual(['PetStore-v1-staging']);
  });
});

describe('AccountStack', () => {
  it('gives API Gateway the role that it writes access logs with', () => {
    const template = templateOf(newAccount, 'PetStore-account');
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
