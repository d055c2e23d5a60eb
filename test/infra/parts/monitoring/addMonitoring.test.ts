import type { Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { stackName } from '../../../../infra/core/stackNames.ts';
import type { Stage } from '../../../../infra/stageSchema.ts';
import { bareStage, type Changes, checkChanged, durableName } from '../../../helpers/bareStage.ts';
import { fullProduction, fullStaging } from '../../../helpers/fullStacks.ts';
import { production, propertiesOf, staging, synthesise } from '../../../helpers/templates.ts';

it('a stage is monitored if it is durable, or if its settings name a recipient', () => {
  const monitored = [production, staging, fullProduction, fullStaging].map((template) =>
    ['CloudWatch::Alarm', 'CloudWatch::Dashboard', 'Events::Rule'].map(
      (type) => propertiesOf(template, `AWS::${type}`).length > 0,
    ),
  );
  const recipients = [production, fullProduction, fullStaging].map((template) =>
    propertiesOf(template, 'AWS::SNS::Subscription').map(({ Protocol }) => Protocol),
  );

  expect(monitored.map(String)).toEqual([
    'true,true,true',
    'false,false,false',
    'true,true,true',
    'true,true,true',
  ]);
  expect(recipients).toEqual([[], ['https'], ['email']]);
});

it('the CDK warns of alarms without a recipient, unless the settings give a reason', () => {
  const warningsOf = (change: Partial<Stage>) => {
    const { alarmRecipient: _none, ...stage } = bareStage(durableName);
    const stack = synthesise([{ ...stage, ...change }]).node.findChild(stackName(durableName));
    return Annotations.fromStack(stack as Stack)
      .findWarning('*', Match.anyValue())
      .map(({ entry }) => String(entry.data));
  };

  expect(warningsOf({})).toEqual([
    expect.stringMatching(
      /^The alarms of .+ have no recipient\. In infra\/stages\.ts, set its alarmRecipient/,
    ),
  ]);
  expect(warningsOf({ alarmRecipient: { none: 'This is a test.' } })).toEqual([]);
  expect(warningsOf({ alarmRecipient: { email: 'ops@example.com' } })).toEqual([]);
});

it.each<[fault: string, changed: Changes]>([
  ['alarmRecipient.none: Say why', { alarmRecipient: { none: ' ' } }],
  ['alarmRecipient.email: Invalid email address', { alarmRecipient: { email: 'ops' } }],
  ['alarmRecipient.https: Use an https address', { alarmRecipient: { https: 'http://a.b' } }],
  ['accessLogRetentionDays: Use a number of days', { accessLogRetentionDays: 'none' }],
])('wrong settings are refused, with what to change: %s', (fault, changed) => {
  expect(() => checkChanged(changed)).toThrow(`${durableName} ${fault}`);
});
