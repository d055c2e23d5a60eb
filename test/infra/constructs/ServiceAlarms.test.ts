import { describe, expect, it } from 'vitest';
import { runbookAnchors } from '../../helpers/runbookAnchors.ts';
import { actionsOn, alarmMetrics, metricProblems } from '../../helpers/templateMetrics.ts';
import {
  functionNames,
  type Properties,
  propertiesOf,
  resourcesOf,
  shortId,
  templates,
  textOf,
} from '../../helpers/templates.ts';

describe.each(templates)('the alarms of $stage.name', ({ stage, template }) => {
  const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm');

  it('go off at these thresholds', () => {
    const prefix = `PetStore-${stage.name}-`;
    const ofVersion = (name: string) => [
      [`${name}-NewVersionCrashes-<${name}FunctionCurrentVersion.Version>`, '>= 1', '1 × 60 s'],
      [`${name}-NewVersionErrors-<${name}FunctionCurrentVersion.Version>`, '>= 1', '1 × 60 s'],
    ];
    const sumOfTwoPeriods = ['1 of 2 × 300 s', 'SUM(FILL(METRICS(), 0))'];

    expect(alarms.map((alarm) => summary(alarm, prefix))).toEqual([
      ...functionNames.flatMap(ofVersion),
      ['ServerErrorRate', '>= 1', '1 × 300 s', 'IF(errors >= 5, 100 * errors / requests, 0)'],
      ['Latency', '>= 2000', '3 × 300 s', 'IF(requests >= 100, latency, 0)'],
      ['FunctionErrors', '>= 3', ...sumOfTwoPeriods],
      ['FunctionThrottles', '>= 1', ...sumOfTwoPeriods],
      ['PetsTableThrottles', '>= 10', ...sumOfTwoPeriods],
      ['PetsTableErrors', '>= 10', ...sumOfTwoPeriods],
      ['ApiKeysTableThrottles', '>= 10', ...sumOfTwoPeriods],
      ['ApiKeysTableErrors', '>= 10', ...sumOfTwoPeriods],
      ['IdempotencyTableThrottles', '>= 10', ...sumOfTwoPeriods],
      ['IdempotencyTableErrors', '>= 10', ...sumOfTwoPeriods],
    ]);
  });

  it('use metrics that exist, of resources of this stack', () => {
    const metrics = alarms.flatMap(alarmMetrics);

    expect(metrics.length).toBeGreaterThan(30);
    expect(metrics.flatMap((metric) => metricProblems(template, metric))).toEqual([]);
  });

  it('name only their own metrics in their expressions', () => {
    for (const { Metrics } of alarms) {
      const [expression, ...metrics] = (Metrics ?? []) as Properties[];
      const words = String(expression?.Expression ?? '').match(/\b[a-z]\w*/g) ?? [];
      const ids = metrics.map(({ Id }) => Id);
      for (const word of words) expect(ids).toContain(word);
    }
  });

  it('stay quiet without requests', () => {
    for (const alarm of alarms) expect(alarm.TreatMissingData).toBe('notBreaching');
  });

  it('watch every function, table and index, and every database call that a request can cause', () => {
    const metrics = alarms.flatMap(alarmMetrics);
    const watched = (name: string) =>
      metrics
        .filter((metric) => metric.name === name)
        .map(({ dimensions }) => Object.values(dimensions).join(' '));
    const tablesAndIndexes = ['<Pets>', 'byStatus <Pets>', '<ApiKeys>', '<Idempotency>'];
    const calls = ['<Pets>', '<ApiKeys>', '<Idempotency>'].flatMap((table) =>
      actionsOn(template, table).map((action) => `${action} ${table}`),
    );

    expect(watched('Throttles')).toEqual(functionNames.map((name) => `<${name}Function>`));
    expect(watched('ReadThrottleEvents')).toEqual(tablesAndIndexes);
    expect(watched('WriteThrottleEvents')).toEqual(tablesAndIndexes);
    expect(watched('SystemErrors')).toEqual(calls);
  });

  it('say what is wrong and name a section of the runbook', () => {
    for (const { AlarmDescription } of alarms) {
      const [, impact = '', anchor] =
        /^(.+\.) Runbook: docs\/operations\.md#([a-z-]+)$/.exec(String(AlarmDescription)) ?? [];
      expect(impact.length).toBeGreaterThan(40);
      expect(runbookAnchors()).toContain(anchor);
    }
  });

  it('notify the operators, except for the alarms that CodeDeploy watches', () => {
    const watchedByCodeDeploy = propertiesOf(template, 'AWS::CodeDeploy::DeploymentGroup').flatMap(
      ({ AlarmConfiguration }) => (AlarmConfiguration as { Alarms: Properties[] }).Alarms,
    );
    const silent = resourcesOf(template, 'AWS::CloudWatch::Alarm').filter(
      ([, { Properties }]) => !Properties.AlarmActions,
    );

    expect(silent.map(([id]) => `<${shortId(id)}>`)).toEqual(
      watchedByCodeDeploy.map(({ Name }) => textOf(Name)),
    );
    for (const { AlarmActions, OKActions } of alarms.filter((alarm) => alarm.AlarmActions)) {
      expect([AlarmActions, OKActions].flat().map(textOf)).toEqual([
        '<AlarmTopic>',
        '<AlarmTopic>',
      ]);
    }
  });
});

/** `[name, condition, time, expression]` */
function summary(alarm: Properties, prefix: string): string[] {
  const metrics = (alarm.Metrics ?? []) as { Expression?: string; MetricStat?: Properties }[];
  const period = alarm.Period ?? metrics.find(({ MetricStat }) => MetricStat)?.MetricStat?.Period;
  const { DatapointsToAlarm: breaching, EvaluationPeriods: periods } = alarm;
  expect(alarm.ComparisonOperator).toBe('GreaterThanOrEqualToThreshold');
  return [
    textOf(alarm.AlarmName).replace(prefix, ''),
    `>= ${alarm.Threshold}`,
    `${breaching === periods ? '' : `${breaching} of `}${periods} × ${period} s`,
    ...metrics.flatMap(({ Expression }) => Expression ?? []),
  ];
}
