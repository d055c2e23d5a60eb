import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { operationEntries } from '../../../../lib/operations.ts';
import { fullStaging, fullProduction as template } from '../../../helpers/fullStacks.ts';
import { propertiesOf } from '../../../helpers/templates.ts';

const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm');

it('an alarm ends its text in a link to a heading of the runbook, in a repository with ids too', () => {
  const headings = readFileSync('docs/runbook.md', 'utf8').match(/(?<=^#+ ).+$/gm) ?? [];
  const anchors = headings.map((heading) => heading.toLowerCase().replaceAll(' ', '-'));

  const every = [...alarms, ...propertiesOf(fullStaging, 'AWS::CloudWatch::Alarm')];
  for (const { AlarmDescription } of every) {
    const link =
      / Runbook: https:\/\/github\.com\/example\/petstore\/blob\/main\/docs\/runbook\.md#(\S+)$/;
    const [, anchor] = link.exec(AlarmDescription) ?? [];
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

type MetricStat = { Metric: { MetricName: string; Dimensions: { Value: string }[] } };
type Query = { MetricStat?: MetricStat };

it('each operation has an urgent alarm on its own 5xx, crashes and requests', () => {
  const monitored = operationEntries.map(([name]) => {
    const { AlarmActions, Metrics } =
      alarms.find(({ AlarmName }) => AlarmName.endsWith(`-${name}-Failures`)) ?? expect.fail(name);
    expect(AlarmActions).toHaveLength(1);
    return Metrics.flatMap(({ MetricStat }: Query) => MetricStat ?? []).map(
      ({ Metric: { MetricName, Dimensions } }: MetricStat) =>
        `${MetricName} ${Dimensions[0]?.Value}`,
    );
  });

  expect(monitored).toEqual(
    operationEntries.map(([name]) => [
      `Errors <${name}Function>`,
      `Failures ${name}`,
      `Invocations <${name}Function>`,
    ]),
  );
});
