import type { Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { stackName } from '../../../../infra/core/stackNames.ts';
import type { Stage } from '../../../../infra/stageSchema.ts';
import {
  bareStage,
  type Changes,
  checkChanged,
  durableName,
  otherName,
} from '../../../helpers/bareStage.ts';
import { propertiesOf, synthesise } from '../../../helpers/templates.ts';

/** Returns the stack of a stage that has other settings of its monitoring. */
function stackWith(name: string, monitoring: Stage['monitoring']): Stack {
  const app = synthesise([{ ...bareStage(name), monitoring }]);
  return app.node.findChild(stackName(name)) as Stack;
}

it.each<[expected: string, name: string, Stage['monitoring']]>([
  ['nothing', durableName, undefined],
  ['everything', durableName, {}],
  ['nothing', otherName, undefined],
  ['everything', otherName, {}],
  ['everything', otherName, { recipient: { none: 'This is a test.' } }],
])('%s of the monitoring is in %s with the setting %j', (expected, name, monitoring) => {
  const template = Template.fromStack(stackWith(name, monitoring));

  const types = [
    'CloudWatch::Alarm',
    'CloudWatch::Dashboard',
    'Events::Rule',
    'Logs::MetricFilter',
    'SNS::Topic',
  ];
  const present = types.filter((type) => propertiesOf(template, `AWS::${type}`).length > 0);
  expect(present).toEqual(expected === 'everything' ? types : []);
});

it.each<[subscriptions: string[], Stage['monitoring']]>([
  [['email ops@example.com'], { recipient: { email: 'ops@example.com' } }],
  [
    ['https https://pager.example.com/sns'],
    { recipient: { https: 'https://pager.example.com/sns' } },
  ],
  [[], { recipient: { none: 'This is a test.' } }],
])('the alarms go to %j with the setting %j', (expected, monitoring) => {
  const template = Template.fromStack(stackWith(otherName, monitoring));

  const subscriptions = propertiesOf(template, 'AWS::SNS::Subscription');
  expect(subscriptions.map(({ Protocol, Endpoint }) => `${Protocol} ${Endpoint}`)).toEqual(
    expected,
  );
});

it('the CDK warns of a durable stage whose alarms have no recipient and no reason for that', () => {
  const warningsOf = (name: string, monitoring: Stage['monitoring']) =>
    Annotations.fromStack(stackWith(name, monitoring))
      .findWarning('*', Match.anyValue())
      .map(({ entry }) => String(entry.data));

  expect(warningsOf(durableName, {})).toEqual([
    expect.stringMatching(
      /^The alarms of .+ have no recipient\. In infra\/stages\.ts, set its monitoring\.recipient/,
    ),
  ]);
  expect(warningsOf(durableName, { recipient: { none: 'This is a test.' } })).toEqual([]);
  expect(warningsOf(durableName, { recipient: { email: 'ops@example.com' } })).toEqual([]);
  expect(warningsOf(durableName, undefined)).toEqual([]);
  expect(warningsOf(otherName, {})).toEqual([]);
});

it.each<[fault: string, changed: Changes]>([
  ['monitoring.recipient.none: Say why', { monitoring: { recipient: { none: ' ' } } }],
  ['monitoring.recipient.email: Invalid', { monitoring: { recipient: { email: 'ops' } } }],
  [
    'monitoring.recipient.https: Use an https',
    { monitoring: { recipient: { https: 'http://a.b' } } },
  ],
  [
    'accessLogRetentionDays: Use a number of days',
    { monitoring: {}, accessLogRetentionDays: 'none' },
  ],
])('wrong settings are refused, with what to change: %s', (fault, changed) => {
  expect(() => checkChanged(changed)).toThrow(`${durableName} ${fault}`);
});
