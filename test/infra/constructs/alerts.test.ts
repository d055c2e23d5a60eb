import { describe, expect, it } from 'vitest';
import { runbookAnchors } from '../../helpers/runbookAnchors.ts';
import {
  type Properties,
  production,
  propertiesOf,
  resourcesOf,
  shortId,
  textOf,
} from '../../helpers/templates.ts';

describe('AlarmTopic', () => {
  it('accepts messages only over TLS, from alarms of the account', () => {
    const [policy = {}] = propertiesOf(production, 'AWS::SNS::TopicPolicy');
    const { Statement } = policy.PolicyDocument as { Statement: Properties[] };

    expect(Statement).toMatchObject([
      {
        Effect: 'Deny',
        Action: 'sns:Publish',
        Principal: '*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
      {
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ]);
  });
});

describe.each([
  {
    id: 'ReleaseFailures',
    pattern: {
      source: ['aws.codedeploy'],
      'detail-type': ['CodeDeploy Deployment State-change Notification'],
      detail: {
        state: ['FAILURE', 'STOP'],
        application: [{ Ref: expect.stringMatching(/^Releases/) }],
      },
    },
    fields: ['$.detail.deploymentId', '$.detail.deploymentGroup', '$.detail.state'],
  },
  {
    id: 'StuckRollback',
    pattern: {
      source: ['aws.cloudformation'],
      'detail-type': ['CloudFormation Stack Status Change'],
      detail: {
        'stack-id': [{ Ref: 'AWS::StackId' }],
        'status-details': { status: ['UPDATE_ROLLBACK_FAILED'] },
      },
    },
    fields: ['$.detail.status-details.status-reason'],
  },
])('$id', ({ id, pattern, fields }) => {
  const rules = resourcesOf(production, 'AWS::Events::Rule');
  const rule = rules.find(([logicalId]) => shortId(logicalId) === id)?.[1].Properties ?? {};

  it('matches the failures of this stage', () => {
    expect(rule.EventPattern).toEqual(pattern);
  });

  it('tells the operators what failed, and which section of the runbook to read', () => {
    const [target] = rule.Targets as [{ Arn: unknown; InputTransformer: Properties }];
    const { InputPathsMap, InputTemplate } = target.InputTransformer;
    const names = String(InputTemplate).match(/<[\w-]+>/g) ?? [];
    const [, anchor] = /docs\/runbook\.md#([a-z-]+)"$/.exec(String(InputTemplate)) ?? [];

    expect(textOf(target.Arn)).toBe('<AlarmTopic>');
    expect(names.map((name) => (InputPathsMap as Properties)[name.slice(1, -1)])).toEqual(fields);
    expect(InputTemplate).toContain('v1-production');
    expect(runbookAnchors()).toContain(anchor);
  });
});
