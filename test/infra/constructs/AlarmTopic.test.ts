import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Properties, propertiesOf, production as template } from '../../helpers/templates.ts';

describe('AlarmTopic', () => {
  it('accepts messages of alarms of its account, and of no others', () => {
    const [policy = {}] = propertiesOf(template, 'AWS::SNS::TopicPolicy');
    const { Statement } = policy.PolicyDocument as { Statement: Properties[] };

    expect(Statement.filter(({ Effect }) => Effect === 'Allow')).toMatchObject([
      {
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ]);
  });

  it('gets messages that say what is wrong and name a section of the runbook', () => {
    const alarms = ['Alarm', 'CompositeAlarm'].flatMap((type) =>
      propertiesOf(template, `AWS::CloudWatch::${type}`).map((each) => each.AlarmDescription),
    );
    const notices = propertiesOf(template, 'AWS::Events::Rule')
      .flatMap(({ Targets }) => Targets as { InputTransformer?: Properties }[])
      .flatMap(({ InputTransformer: each }) =>
        each ? JSON.parse(String(each.InputTemplate)) : [],
      );
    const headings = readFileSync('docs/runbook.md', 'utf8').matchAll(/^#+ (.+)$/gm);
    const anchors = [...headings].map(([, text = '']) => text.toLowerCase().replaceAll(' ', '-'));

    expect([alarms.length > 10, notices.length]).toEqual([true, 2]);
    for (const message of [...alarms, ...notices]) {
      const [, problem = '', anchor] =
        /^(.+) Runbook: docs\/runbook\.md#([a-z-]+)$/.exec(String(message)) ?? [];
      expect(problem.length).toBeGreaterThan(40);
      expect(anchors).toContain(anchor);
    }
  });
});
