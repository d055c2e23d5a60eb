import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { AlarmTopic } from '../../../infra/constructs/alerts.ts';
import type { Stage } from '../../../infra/stages.ts';
import { runbookAnchors } from '../../helpers/runbookAnchors.ts';
import { stagesWith } from '../../helpers/stagesWith.ts';
import {
  type Properties,
  production,
  propertiesOf,
  resourcesOf,
  shortId,
  staging,
  templates,
  textOf,
} from '../../helpers/templates.ts';

describe.each(templates)('AlarmTopic of $stage.name', ({ template }) => {
  it('accepts messages only over TLS, from alarms and budgets of the account', () => {
    const [policy = {}] = propertiesOf(template, 'AWS::SNS::TopicPolicy');
    const { Statement } = policy.PolicyDocument as { Statement: Properties[] };

    expect(Statement).toMatchObject([
      {
        Effect: 'Deny',
        Principal: '*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
      {
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
      {
        Effect: 'Allow',
        Principal: { Service: 'budgets.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ]);
    for (const { Action } of Statement) expect(Action).toBe('sns:Publish');
  });

  it('has no subscriber by default', () => {
    template.resourceCountIs('AWS::SNS::Subscription', 0);
  });
});

describe('AlarmTopic', () => {
  it('sends mail to the address in the settings', () => {
    const app = new App({ builtinCloudFormationValidation: false });
    const stack = new Stack(app, 'Stack');
    const [stage] = stagesWith({ alarmRecipient: { email: 'ops@example.com' } });
    new AlarmTopic(stack, 'AlarmTopic', { stage: stage as Stage });
    const template = Template.fromStack(stack);

    expect(propertiesOf(template, 'AWS::SNS::Subscription')).toMatchObject([
      { Protocol: 'email', Endpoint: 'ops@example.com', TopicArn: expect.anything() },
    ]);
  });
});

const releases = {
  id: 'ReleaseFailures',
  source: 'aws.codedeploy',
  detailType: 'CodeDeploy Deployment State-change Notification',
  detail: { state: ['FAILURE', 'STOP'], application: ['<ReleasesApplication>'] },
  fields: ['$.detail.deploymentId', '$.detail.deploymentGroup', '$.detail.state'],
};
const backups = {
  id: 'BackupFailures',
  source: 'aws.backup',
  detailType: 'Backup Job State Change',
  detail: {
    state: ['FAILED', 'ABORTED', 'EXPIRED', 'PARTIAL'],
    backupVaultName: ['<BackupsVault.BackupVaultName>'],
  },
  fields: ['$.detail.backupJobId', '$.detail.resourceArn', '$.detail.state'],
};

describe.each([
  { stage: 'v1-production', template: production, ...releases },
  { stage: 'v1-staging', template: staging, ...releases },
  { stage: 'v1-production', template: production, ...backups },
])('$id of $stage', ({ stage, template, id, source, detailType, detail, fields }) => {
  const rules = resourcesOf(template, 'AWS::Events::Rule');
  const rule = rules.find(([logicalId]) => shortId(logicalId) === id)?.[1].Properties ?? {};

  it('matches the failures of this stage', () => {
    const pattern = rule.EventPattern as { detail: Record<string, unknown[]> };
    const values = Object.entries(pattern.detail).map(([key, each]) => [key, each.map(textOf)]);

    expect({ ...pattern, detail: Object.fromEntries(values) }).toEqual({
      source: [source],
      'detail-type': [detailType],
      detail,
    });
  });

  it('tells the operators what failed, and which section of the runbook to read', () => {
    const [target] = rule.Targets as [
      { Arn: unknown; RoleArn: unknown; InputTransformer: Properties },
    ];
    const { InputPathsMap, InputTemplate } = target.InputTransformer;
    const names = String(InputTemplate).match(/<[\w-]+>/g) ?? [];
    const [, anchor] = /docs\/alarms\.md#([a-z-]+)"$/.exec(String(InputTemplate)) ?? [];

    expect(textOf(target.Arn)).toBe('<AlarmTopic>');
    const role = textOf(target.RoleArn).replace(/<(\w+)\.Arn>/, '$1');
    const policy = resourcesOf(template, 'AWS::IAM::Policy').find(([logicalId]) =>
      logicalId.startsWith(role),
    )?.[1].Properties.PolicyDocument as { Statement: Properties[] };
    expect(policy.Statement.map(({ Action, Resource }) => [Action, textOf(Resource)])).toEqual([
      ['sns:Publish', '<AlarmTopic>'],
    ]);
    expect(names.map((name) => (InputPathsMap as Properties)[name.slice(1, -1)])).toEqual(fields);
    expect(InputTemplate).toContain(stage);
    expect(runbookAnchors()).toContain(anchor);
  });
});
