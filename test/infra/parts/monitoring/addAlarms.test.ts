import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { stackName } from '../../../../infra/core/stackNames.ts';
import { operationEntries, operations } from '../../../../lib/operations.ts';
import { bareStage, durableName } from '../../../helpers/bareStage.ts';
import { fullProduction as template } from '../../../helpers/fullStacks.ts';
import { propertiesOf, synthesise, templateOf } from '../../../helpers/templates.ts';

const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm');

it('an alarm ends its text in a link to a heading of the runbook', () => {
  const headings = readFileSync('docs/runbook.md', 'utf8').match(/(?<=^#+ ).+$/gm) ?? [];
  const anchors = headings.map((heading) => heading.toLowerCase().replaceAll(' ', '-'));

  for (const { AlarmDescription } of alarms) {
    const [, anchor] = / Runbook: \S*docs\/runbook\.md#(\S+)$/.exec(AlarmDescription) ?? [];
    expect(anchors).toContain(anchor);
  }
});

it('an alarm has at most 10 metrics and only ASCII, because AWS refuses more, and `cdk import` other texts', () => {
  for (const alarm of alarms) {
    const metrics = alarm.Metrics.filter(({ MetricStat }: Query) => MetricStat);
    expect([alarm.AlarmName, metrics.length <= 10]).toEqual([alarm.AlarmName, true]);
    expect(JSON.stringify(alarm)).toMatch(/^[ -~]+$/);
  }
});

type Query = {
  Expression?: string;
  MetricStat?: { Metric: { MetricName: string; Dimensions: { Value: string }[] } };
};

/** The functions and the operations whose failures each alarm compares. */
function monitored(from = template): string[][] {
  return propertiesOf(from, 'AWS::CloudWatch::Alarm')
    .filter(({ AlarmName }) => AlarmName.includes('Api-SlowFailures'))
    .map(({ Metrics }) =>
      Metrics.flatMap(({ MetricStat }: Query) => MetricStat ?? []).map(
        ({ Metric: { MetricName, Dimensions } }: NonNullable<Query['MetricStat']>) =>
          `${MetricName} ${Dimensions[0]?.Value}`,
      ),
    );
}

const metricsOf = (name: string) => [
  `Errors <${name}Function>`,
  `Failures ${name}`,
  `Invocations <${name}Function>`,
];

it('an alarm watches the 5xx, the crashes and the requests of each operation', () => {
  expect(monitored().flat()).toEqual(operationEntries.flatMap(([name]) => metricsOf(name)));
});

it('a fourth operation has another alarm, because its metrics are more than one alarm may have', () => {
  const fourth = { ...operations.getPet, path: '/pets/{petId}/fourth' } as const;
  Object.assign(operations, { fourth });
  operationEntries.push(['fourth' as never, fourth]);
  onTestFinished(() => {
    delete (operations as Record<string, unknown>).fourth;
    operationEntries.pop();
  });

  const app = synthesise([bareStage(durableName)]);

  const [first, second] = monitored(templateOf(app, stackName(durableName)));
  expect([first?.length, second]).toEqual([9, metricsOf('fourth')]);
});
