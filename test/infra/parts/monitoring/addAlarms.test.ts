import { readFileSync } from 'node:fs';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { releaseAlarmOutput, stackName } from '../../../../infra/core/stackNames.ts';
import { type TableName, tableName, tables } from '../../../../lib/tables.ts';
import { durableName } from '../../../helpers/bareStage.ts';
import { fullProduction as template } from '../../../helpers/fullStacks.ts';
import { production, propertiesOf, readable } from '../../../helpers/templates.ts';

type Query = {
  Id: string;
  MetricStat: {
    Metric: { MetricName: string; Dimensions: object[] };
    Period: number;
    Stat: string;
  };
};
type Alarm = Record<string, unknown> & {
  AlarmDescription: string;
  Metrics: [{ Expression: string }, ...Query[]];
};

/** The alarms by their names, without that of the stack. */
function alarmsOf(from: Template): Record<string, Alarm> {
  const alarms = propertiesOf(from, 'AWS::CloudWatch::Alarm');
  const prefix = `${stackName(durableName)}-`;
  return Object.fromEntries(alarms.map((each) => [each.AlarmName.replace(prefix, ''), each]));
}
const alarms = alarmsOf(template);

const restorable = (Object.keys(tables) as TableName[]).filter(
  (name) => tables[name].pointInTimeRecovery !== 'never',
);

/** When an alarm goes off, with the metrics in the place of their ids. */
function conditionOf(alarm: Alarm): string {
  const [{ Expression }, ...metrics] = alarm.Metrics;
  const value = Expression.replaceAll(/\b[a-z]\w*/g, (id) => {
    const { Metric, Stat } = metrics.find(({ Id }) => Id === id)?.MetricStat ?? expect.fail(id);
    return Stat === 'Sum' ? Metric.MetricName : `${Metric.MetricName}.${Stat}`;
  });
  const periods = new Set(metrics.map(({ MetricStat: { Period } }) => Period / 60));
  const isBelow = alarm.ComparisonOperator === 'LessThanThreshold';
  const noData = alarm.TreatMissingData === 'notBreaching' ? '' : `, ${alarm.TreatMissingData}`;
  return `${value} ${isBelow ? '<' : '>='} ${alarm.Threshold} in ${alarm.DatapointsToAlarm} of ${alarm.EvaluationPeriods} x ${[...periods]} min${noData}`;
}

describe('the alarms', () => {
  const failures = (atLeast: number) =>
    `IF(FailedRequests >= ${atLeast}, 100 * FailedRequests / ValidRequests, 0)`;
  const deletes = restorable.map(() => Array(2).fill('SuccessfulRequestLatency.SampleCount'));
  const changes = ['DamagedData', ...deletes.flat()].map((metric) => `FILL(${metric}, 0)`);

  it('go off at these values, with a minimum of requests where one request could be a percentage', () => {
    const conditions = Object.entries(alarms).map(([name, alarm]) => [name, conditionOf(alarm)]);

    expect(Object.fromEntries(conditions)).toEqual({
      'Service-Heartbeat':
        'FILL(Invocations, 0) - FILL(Errors, 0) < 1 in 1 of 1 x 5 min, breaching',
      'Api-Release': `${failures(3)} >= 1 in 1 of 1 x 5 min`,
      'Api-Failures': `${failures(5)} >= 1 in 2 of 3 x 5 min`,
      'Api-SlowFailures': `${failures(5)} >= 0.6 in 1 of 1 x 360 min`,
      'Api-Latency': 'IF(Count.SampleCount >= 100, Latency.p99, 0) >= 2000 in 3 of 3 x 5 min',
      'Api-Refusals':
        'IF(ValidRequests + RefusedRequests >= 100, 100 * RefusedRequests / (ValidRequests + RefusedRequests), 0) >= 5 in 3 of 3 x 5 min',
      // FILL takes late data for 0, so a second period looks at them again.
      'Tables-Changed': `${changes.join(' + ')} >= 1 in 1 of 2 x 5 min`,
    });
  });

  it('wait until a new stack has data, if missing data set them off', () => {
    const warmUps = Object.entries(alarms).map(([name, alarm]) => [
      name,
      alarm.WarmUpConfiguration,
    ]);

    expect(warmUps.filter(([, warmUp]) => warmUp)).toEqual([
      [
        'Service-Heartbeat',
        { WarmUpPeriodDurationInMinutes: 15, OnlyStartEvaluatingAfterWarmUpPeriodEnds: true },
      ],
    ]);
  });

  it('see each request that deletes items of a table that can be restored', () => {
    const [, , ...deletes] = alarms['Tables-Changed']?.Metrics ?? expect.fail();

    expect(deletes.map(({ MetricStat }) => MetricStat.Metric.Dimensions)).toEqual(
      restorable.flatMap((name) =>
        ['DeleteItem', 'BatchWriteItem'].map((operation) => [
          { Name: 'Operation', Value: operation },
          { Name: 'TableName', Value: tableName(durableName, name) },
        ]),
      ),
    );
  });

  it('tell the first recipient what is urgent, and the second one what can wait', () => {
    const told = Object.entries(alarms).map(([name, alarm]) => [
      name,
      String(alarm.AlarmActions),
      String(alarm.OKActions),
      /(Not urgent|Urgent): [^.]+/.exec(alarm.AlarmDescription)?.[0],
    ]);

    const silent = ['undefined', 'undefined', undefined];
    const now = [...Array(2).fill('<MonitoringAlarmTopic>'), 'Urgent: respond now'];
    const later = [
      ...Array(2).fill('<MonitoringLowUrgencyTopic>'),
      'Not urgent: this can wait until the morning',
    ];
    expect(told).toEqual([
      // CloudFormation watches this one.
      ['Api-Release', ...silent],
      ['Service-Heartbeat', ...now],
      ['Api-Failures', ...now],
      ['Api-SlowFailures', ...later],
      ['Api-Latency', ...now],
      ['Api-Refusals', ...later],
      ['Tables-Changed', ...later],
    ]);
  });

  it('tell the first recipient everything if there is no second one', () => {
    const topics = Object.values(alarmsOf(production)).flatMap((alarm) => alarm.AlarmActions ?? []);

    expect([...new Set(topics)]).toEqual(['<MonitoringAlarmTopic>']);
  });

  it('end their text in a link to a heading of the runbook', () => {
    const headings = readFileSync('docs/runbook.md', 'utf8').match(/(?<=^#+ ).+$/gm) ?? [];
    const anchors = headings.map((heading) => heading.toLowerCase().replaceAll(' ', '-'));

    for (const { AlarmDescription } of Object.values(alarms)) {
      const [, anchor] = / Runbook: \S*docs\/runbook\.md#(\S+)$/.exec(AlarmDescription) ?? [];
      expect(anchors).toContain(anchor);
    }
  });

  it('keep to what AWS accepts: 10 metrics each, and ASCII, because `cdk import` refuses other texts', () => {
    for (const [name, alarm] of Object.entries(alarms)) {
      expect([name, alarm.Metrics.length - 1 <= 10]).toEqual([name, true]);
      expect(JSON.stringify(alarm)).toMatch(/^[ -~]+$/);
    }
  });

  it('include that of a release, whose ARN is an output', () => {
    const { [releaseAlarmOutput]: output } = readable(template.findOutputs('*'));

    expect(output.Value).toBe('<MonitoringApiRelease.Arn>');
  });
});
