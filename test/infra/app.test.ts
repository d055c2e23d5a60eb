import { type App, Stack } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import type { Stage } from '../../infra/stages.ts';
import { operationEntries } from '../../lib/operations.ts';
import { stagesWith } from '../helpers/stagesWith.ts';
import { templateDifferences } from '../helpers/templateDifferences.ts';
import { defaultApp, stackOf, synthesise, templates } from '../helpers/templates.ts';

const stacksOf = (app: App) => app.node.children.filter((child) => Stack.isStack(child));

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

const certificateArn = 'arn:aws:acm:eu-west-1:111122223333:certificate/4c7f';
const githubRepository = 'example/petstore';

/** Each stage in an account of its own, with a pipeline and every optional setting. */
const everything = stagesWith(
  {
    alarmRecipient: { email: 'ops@example.com' },
    corsOrigins: ['https://app.example.com'],
    domain: {
      name: 'api.example.com',
      certificateArn,
      hostedZone: { id: 'Z0123456789', name: 'example.com' },
    },
    firewall: { requestsPerMinuteAndAddress: 600 },
  },
  {
    'v1-production': { account: { id: '111122223333', githubRepository } },
    'v1-staging': { account: { id: '444455556666', githubRepository } },
  },
);

const nothing: Stage[] = stagesWith({ trafficShift: 'allAtOnce' }).map(
  ({ firewall, ...stage }) => stage,
);

describe('addStacks', () => {
  it('adds a stack for each stage, and protects the durable one', () => {
    const protections = stacksOf(defaultApp).map((stack) => [
      stack.stackName,
      stack.terminationProtection,
    ]);

    expect(protections).toEqual([
      ['PetStore-v1-production', true],
      ['PetStore-v1-staging', false],
    ]);
  });

  it('pins each stage and its pipeline to their account', () => {
    const accounts = stacksOf(synthesise(everything)).map(({ stackName, account }) => [
      stackName,
      account,
    ]);

    expect(accounts.sort()).toEqual([
      ['PetStore-pipeline', '111122223333'],
      ['PetStore-pipeline', '444455556666'],
      ['PetStore-v1-production', '111122223333'],
      ['PetStore-v1-staging', '444455556666'],
    ]);
  });

  it('refuses settings that no deployment may have', () => {
    expect(() => synthesise(stagesWith({ shards: 0 }))).toThrow('infra/stages.ts has settings');
  });

  // `npm run synth` proves the same of the settings of this repository.
  it.each([
    ['every optional setting', synthesise(everything)],
    ['no optional setting', synthesise(nothing)],
  ])('leaves no finding of cdk-nag unacknowledged with %s', (_, app) => {
    expect(findings(app)).toEqual([]);
  });

  it('tags every resource with the project and the stage, through the stack', () => {
    for (const { stage } of templates) {
      expect(stackOf(defaultApp, `PetStore-${stage.name}`).tags.tagValues()).toEqual({
        Project: 'PetStore',
        Stage: stage.name,
      });
    }
  });

  it('differs between the stages only in these settings', () => {
    const [production, staging] = templates.map(({ stage, template }) => ({
      name: stage.name,
      template,
    }));
    if (!production || !staging) throw new Error('There are two stages.');
    const operations = operationEntries.length;
    // Each function behind the API has a log, and so has the hook of each operation.
    const logs = 2 * operations + 1;

    const differences = templateDifferences(production, staging);

    // What a durable stage has, or a stage with a recipient: alarms, dashboard, heartbeat and notices.
    const monitoring = /^AWS::(CloudWatch|SNS|Events|IAM|Lambda|Logs)::.* there \| missing$/;
    const expected = [
      ...operationEntries.flatMap((_, index) => [
        `AWS::ApiGateway::Stage × 1 Properties.MethodSettings.${index + 1}.ThrottlingBurstLimit: 300 | 270`,
        `AWS::ApiGateway::Stage × 1 Properties.MethodSettings.${index + 1}.ThrottlingRateLimit: 150 | 45`,
      ]),
      'AWS::ApiGateway::Stage × 1 Properties.MethodSettings.0.ThrottlingBurstLimit: 30 | 27',
      'AWS::ApiGateway::Stage × 1 Properties.MethodSettings.0.ThrottlingRateLimit: 15 | 4.5',
      ...operationEntries.map(
        ([name]) =>
          `AWS::CodeDeploy::DeploymentGroup × 1 Properties.AlarmConfiguration.Alarms.0.Name.Ref: "Releases${name}NewVersionFails" | undefined`,
      ),
      `AWS::CodeDeploy::DeploymentGroup × ${operations} Properties.AlarmConfiguration.Enabled: true | false`,
      `AWS::CodeDeploy::DeploymentGroup × ${operations} Properties.AutoRollbackConfiguration.Events.2: "DEPLOYMENT_STOP_ON_ALARM" | undefined`,
      `AWS::CodeDeploy::DeploymentGroup × ${operations} Properties.DeploymentConfigName: "CodeDeployDefault.LambdaCanary10Percent5Minutes" | "CodeDeployDefault.LambdaAllAtOnce"`,
      'AWS::DynamoDB::Table × 1 Properties.GlobalSecondaryIndexes.0.OnDemandThroughput.MaxReadRequestUnits: 6000 | 600',
      'AWS::DynamoDB::Table × 1 Properties.GlobalSecondaryIndexes.0.OnDemandThroughput.MaxWriteRequestUnits: 2000 | 400',
      'AWS::DynamoDB::Table × 1 Properties.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled: true | false',
      'AWS::DynamoDB::Table × 2 DeletionPolicy: "Retain" | "Delete"',
      'AWS::DynamoDB::Table × 2 Properties.DeletionProtectionEnabled: true | false',
      'AWS::DynamoDB::Table × 2 UpdateReplacePolicy: "Retain" | "Delete"',
      'AWS::DynamoDB::Table × 3 Properties.OnDemandThroughput.MaxReadRequestUnits: 6000 | 600',
      'AWS::DynamoDB::Table × 3 Properties.OnDemandThroughput.MaxWriteRequestUnits: 2000 | 400',
      `AWS::Lambda::Function × ${operations + 1} Properties.Environment.Variables.IDS_PER_LEASE: "10" | "1"`,
      'AWS::Logs::LogGroup × 1 Properties.RetentionInDays: 90 | 30',
      `AWS::Logs::LogGroup × ${logs + 1} DeletionPolicy: "Retain" | "Delete"`,
      `AWS::Logs::LogGroup × ${logs + 1} UpdateReplacePolicy: "Retain" | "Delete"`,
      `AWS::Logs::LogGroup × ${logs} Properties.RetentionInDays: 365 | 30`,
      'AWS::WAFv2::WebACL × 1 there | missing',
      'AWS::WAFv2::WebACLAssociation × 1 there | missing',
    ];
    expect(differences.filter((each) => !monitoring.test(each))).toEqual(expected.sort());
  });
});
