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
  const [errorBudget = {}] = propertiesOf(template, 'AWS::CloudWatch::CompositeAlarm');

  it('go off at these thresholds', () => {
    const prefix = `PetStore-${stage.name}-`;
    const ofVersion = (name: string) => [
      [`${name}-NewVersionCrashes-<${name}FunctionCurrentVersion.Version>`, '>= 1', '1 × 60 s'],
      [`${name}-NewVersionErrors-<${name}FunctionCurrentVersion.Version>`, '>= 1', '1 × 60 s'],
    ];
    const errorShare = (errors: number) =>
      `IF(errors >= ${errors}, errors / (requests - refusals) / 0.001, 0)`;
    const noRecoveryPoint = ['NoRecoveryPoint', '< 1', '26 × 3600 s', 'SUM(FILL(METRICS(), 0))'];
    const sumOfTwoPeriods = ['1 of 2 × 300 s', 'SUM(FILL(METRICS(), 0))'];

    expect(alarms.map((alarm) => summary(alarm, prefix))).toEqual([
      ...functionNames.flatMap(ofVersion),
      ['FastBurnLong', '>= 14.4', '1 × 3600 s', errorShare(5)],
      ['FastBurnShort', '>= 14.4', '1 × 300 s', errorShare(1)],
      ['SlowBurnLong', '>= 6', '1 × 21600 s', errorShare(5)],
      ['SlowBurnShort', '>= 6', '1 × 1800 s', errorShare(1)],
      ['Latency', '>= 2000', '3 × 300 s', 'IF(requests >= 100, latency, 0)'],
      ['FunctionErrors', '>= 3', ...sumOfTwoPeriods],
      ['FunctionThrottles', '>= 1', ...sumOfTwoPeriods],
      ...(stage.backupRetentionDays ? [noRecoveryPoint] : []),
      ['PetsTableThrottles', '>= 10', ...sumOfTwoPeriods],
      ['PetsTableErrors', '>= 10', ...sumOfTwoPeriods],
      ['ApiKeysTableThrottles', '>= 10', ...sumOfTwoPeriods],
      ['ApiKeysTableErrors', '>= 10', ...sumOfTwoPeriods],
      ['IdempotencyTableThrottles', '>= 10', ...sumOfTwoPeriods],
      ['IdempotencyTableErrors', '>= 10', ...sumOfTwoPeriods],
      ['Heartbeat', '< 1', '2 × 300 s', 'runs - failures'],
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

  it('stay quiet without requests, except for those that expect data', () => {
    for (const { ComparisonOperator, TreatMissingData } of alarms) {
      expect(TreatMissingData).toBe(
        ComparisonOperator === 'LessThanThreshold' ? 'breaching' : 'notBreaching',
      );
    }
  });

  it('send one mail for the error budget: if both windows of a rate are in alarm', () => {
    const inAlarm = (window: string) => `ALARM("<Alarms${window}.Arn>")`;
    const rule = textOf(errorBudget.AlarmRule);

    expect(errorBudget.AlarmName).toBe(`PetStore-${stage.name}-ErrorBudget`);
    expect(rule).toBe(
      `((${inAlarm('FastBurnLong')} AND ${inAlarm('FastBurnShort')}) OR (${inAlarm('SlowBurnLong')} AND ${inAlarm('SlowBurnShort')}))`,
    );
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
    for (const { AlarmDescription } of [...alarms, errorBudget]) {
      const [, impact = '', anchor] =
        /^(.+\.) Runbook: docs\/alarms\.md#([a-z-]+)$/.exec(String(AlarmDescription)) ?? [];
      expect(impact.length).toBeGreaterThan(40);
      expect(runbookAnchors()).toContain(anchor);
    }
  });

  it('notify the operators, except for those that CodeDeploy or another alarm watches', () => {
    const watchedByCodeDeploy = propertiesOf(template, 'AWS::CodeDeploy::DeploymentGroup').flatMap(
      ({ AlarmConfiguration }) => (AlarmConfiguration as { Alarms: Properties[] }).Alarms,
    );
    const silent = resourcesOf(template, 'AWS::CloudWatch::Alarm').filter(
      ([, { Properties }]) => !Properties.AlarmActions,
    );

    const windows = textOf(errorBudget.AlarmRule).match(/<\w+/g) ?? [];
    const loud = [errorBudget, ...alarms.filter((alarm) => alarm.AlarmActions)];

    expect(silent.map(([id]) => `<${shortId(id)}>`)).toEqual([
      ...watchedByCodeDeploy.map(({ Name }) => textOf(Name)),
      ...windows.map((id) => `${id}>`),
    ]);
    for (const { AlarmActions, OKActions } of loud) {
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
  const operators = { GreaterThanOrEqualToThreshold: '>=', LessThanThreshold: '<' };
  return [
    textOf(alarm.AlarmName).replace(prefix, ''),
    `${operators[alarm.ComparisonOperator as 'LessThanThreshold']} ${alarm.Threshold}`,
    `${breaching === periods ? '' : `${breaching} of `}${periods} × ${period} s`,
    ...metrics.flatMap(({ Expression }) => Expression ?? []),
  ];
}
