import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fullProduction } from '../../helpers/everything.ts';
import { propertiesOf, production as template } from '../../helpers/templates.ts';

describe('AlarmTopic', () => {
  it('accepts messages of alarms of its account, and of no others', () => {
    const allowed = propertiesOf(fullProduction, 'AWS::SNS::TopicPolicy').map((policy) =>
      policy.PolicyDocument.Statement.filter(
        ({ Effect }: { Effect: string }) => Effect === 'Allow',
      ),
    );

    const statement = (topic: string) => ({
      Action: 'sns:Publish',
      Resource: topic,
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': '<AWS::AccountId>' } },
    });
    expect(allowed).toMatchObject([[statement('<AlarmTopic>')], [statement('<LowUrgencyTopic>')]]);
  });

  it('gets messages that say what is wrong, one kind for each section of the runbook', () => {
    const alarms = ['Alarm', 'CompositeAlarm'].flatMap((type) =>
      propertiesOf(template, `AWS::CloudWatch::${type}`).map((each) => each.AlarmDescription),
    );
    const notices = propertiesOf(template, 'AWS::Events::Rule')
      .flatMap(({ Targets }) => Targets)
      .flatMap(({ InputTransformer: each }) => (each ? JSON.parse(each.InputTemplate) : []));
    const runbook = readFileSync('docs/runbook.md', 'utf8');
    const [section = ''] = /^## Alarms$.*?(?=^## )/ms.exec(runbook) ?? [];
    const headings = [...section.matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading);
    const anchors = headings.map((heading) => heading.toLowerCase().replaceAll(' ', '-'));

    const form = /^.{40,} Runbook: docs\/runbook\.md#([a-z-]+)$/;
    const named = [...alarms, ...notices].map((message) => form.exec(String(message))?.[1]);
    // `.ci/deploy` sends the last one.
    expect([...new Set(named), 'smoke-test-failed'].sort()).toEqual(anchors.sort());
  });
});
