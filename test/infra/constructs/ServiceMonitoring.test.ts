import { describe, expect, it } from 'vitest';
import { operationEntries } from '../../../lib/operations.ts';
import { evaluateMetricMath } from '../../helpers/evaluateMetricMath.ts';
import { runbookAnchors } from '../../helpers/runbookAnchors.ts';
import {
  actionsOn,
  alarmMetrics,
  type DashboardRow,
  metricProblems,
  rowMetric,
} from '../../helpers/templateMetrics.ts';
import {
  functionNames,
  type Properties,
  propertiesOf,
  resourcesOf,
  shortId,
  production as template,
  textOf,
} from '../../helpers/templates.ts';

const prefix = 'PetStore-v1-production-';
const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm');
const [errorBudget = {}] = propertiesOf(template, 'AWS::CloudWatch::CompositeAlarm');
const alarmOf = (name: string) =>
  alarms.find(({ AlarmName }) => AlarmName === `${prefix}${name}`) ?? expect.fail(`No ${name}.`);
const expressionOf = (name: string) =>
  (alarmOf(name).Metrics as { Expression?: string }[]).flatMap(({ Expression = [] }) => Expression);

describe('the alarms', () => {
  it('go off at these thresholds', () => {
    const inTwoPeriods = '1 of 2 × 300 s';

    expect(alarms.map(summary).filter(([name]) => !name?.includes('NewVersionFails'))).toEqual([
      ['Api-FastBurnLong', '>= 14.4', '1 × 3600 s'],
      ['Api-FastBurnShort', '>= 14.4', '1 × 300 s'],
      ['Api-SlowBurnLong', '>= 6', '1 × 21600 s'],
      ['Api-SlowBurnShort', '>= 6', '1 × 1800 s'],
      ['Api-Latency', '>= 2000', '3 × 300 s'],
      ['Api-Refusals', '>= 5', '3 × 300 s'],
      ['Functions-Errors', '>= 3', inTwoPeriods],
      ['Functions-Throttles', '>= 10', inTwoPeriods],
      ['Functions-Concurrency', '>= 80', inTwoPeriods],
      ...['Pets', 'ApiKeys', 'Idempotency'].flatMap((table) => [
        [`${table}-Throttles`, '>= 10', inTwoPeriods],
        [`${table}-SystemErrors`, '>= 10', inTwoPeriods],
      ]),
      ['Service-Heartbeat', '< 1', '2 × 300 s'],
    ]);
  });

  it('use metrics that exist, of resources of this stack', () => {
    const metrics = alarms.flatMap(alarmMetrics);

    expect(metrics.length).toBeGreaterThan(30);
    expect(metrics.flatMap((metric) => metricProblems(template, metric))).toEqual([]);
  });

  it('name only their own metrics in their expressions', () => {
    for (const { Metrics = [] } of alarms) {
      const parts = Metrics as { Id: string; Expression?: string }[];
      const words = parts.flatMap(({ Expression }) => Expression?.match(/\b[a-z]\w*/g) ?? []);
      for (const word of words) expect(parts.map(({ Id }) => Id)).toContain(word);
    }
  });

  it('stay quiet without requests, except for the heartbeat', () => {
    for (const { AlarmName, TreatMissingData } of alarms) {
      const isHeartbeat = AlarmName === `${prefix}Service-Heartbeat`;
      expect(TreatMissingData).toBe(isHeartbeat ? 'breaching' : 'notBreaching');
    }
  });

  it('see 5xx responses as a rate of valid requests, with a minimum', () => {
    const [expression = ''] = expressionOf('Api-FastBurnLong');

    expect(
      evaluateMetricMath(expression, { errors: 5, requests: 10_100, clientErrors: 10_000 }),
    ).toBe(50);
    expect(evaluateMetricMath(expression, { errors: 4, requests: 4, clientErrors: 0 })).toBe(0);
  });

  it('see refused requests, which reach no function, and no other 4xx', () => {
    const [share = '', refused = ''] = expressionOf('Api-Refusals');
    const shareOf = (metrics: Record<string, number>) => {
      const value = evaluateMetricMath(refused, metrics);
      return evaluateMetricMath(share, {
        ...metrics,
        ...(value !== undefined && { refused: value }),
      });
    };

    // Throttled or blocked.
    expect(shareOf({ requests: 1000, clientErrors: 100, m0: 900 })).toBe(10);
    // Refused by a function: without a key, for example.
    expect(shareOf({ requests: 1000, clientErrors: 100, m0: 1000 })).toBe(0);
    // Preflight requests, which the gateway responds to with 204.
    expect(shareOf({ requests: 1000, clientErrors: 0, m0: 600 })).toBe(0);
    expect(shareOf({ requests: 99, clientErrors: 99, m0: 0 })).toBe(0);
  });

  it('send one mail for the error budget: if both windows of a rate are in alarm', () => {
    const windows = textOf(errorBudget.AlarmRule).replaceAll(
      /<\w+?(Fast|Slow)Burn(Long|Short)\.Arn>/g,
      '$1$2',
    );

    expect(windows).toBe(
      '((ALARM("FastLong") AND ALARM("FastShort")) OR (ALARM("SlowLong") AND ALARM("SlowShort")))',
    );
  });

  it('watch every function, table and index, and every database call that a request can cause', () => {
    const metrics = alarms.flatMap(alarmMetrics);
    const watched = (name: string) =>
      metrics
        .filter((metric) => metric.name === name)
        .map(({ dimensions }) => Object.values(dimensions).join(' '))
        .sort();
    const tablesAndIndexes = ['<Pets>', 'byStatus <Pets>', '<ApiKeys>', '<Idempotency>'].sort();
    const calls = ['<Pets>', '<ApiKeys>', '<Idempotency>'].flatMap((table) =>
      actionsOn(template, table).map((action) => `${action} ${table}`),
    );

    expect(watched('Throttles')).toEqual(functionNames.map((name) => `<${name}Function>`).sort());
    expect(watched('ReadThrottleEvents')).toEqual(tablesAndIndexes);
    expect(watched('WriteThrottleEvents')).toEqual(tablesAndIndexes);
    expect(watched('SystemErrors')).toEqual(calls.sort());
  });

  it('say what is wrong and name a section of the runbook', () => {
    for (const { AlarmDescription } of [...alarms, errorBudget]) {
      const [, impact = '', anchor] =
        /^(.+\.) Runbook: docs\/runbook\.md#([a-z-]+)$/.exec(String(AlarmDescription)) ?? [];
      expect(impact.length).toBeGreaterThan(40);
      expect(runbookAnchors()).toContain(anchor);
    }
  });

  it('notify the operators, except for those that CodeDeploy or another alarm watches', () => {
    const silent = resourcesOf(template, 'AWS::CloudWatch::Alarm')
      .filter(([, { Properties }]) => !Properties.AlarmActions)
      .map(([id]) => shortId(id));

    expect(silent.filter((id) => !/(Fast|Slow)Burn(Long|Short)$/.test(id)).sort()).toEqual(
      operationEntries.map(([name]) => `Releases${name}NewVersionFails`).sort(),
    );
    for (const { AlarmActions, OKActions } of [...alarms, errorBudget]) {
      if (!AlarmActions) continue;
      expect([AlarmActions, OKActions].flat().map(textOf)).toEqual([
        '<AlarmTopic>',
        '<AlarmTopic>',
      ]);
    }
  });
});

type Widget = { properties: { metrics?: DashboardRow[] } };

describe('the dashboard', () => {
  const [{ DashboardBody = '' } = {}] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
  const { widgets } = JSON.parse(textOf(DashboardBody)) as { widgets: Widget[] };
  const rows = widgets.flatMap(({ properties }) => properties.metrics ?? []);
  const metrics = rows.filter(([first]) => typeof first === 'string').map(rowMetric);

  it('draws metrics that exist, of resources of this stack', () => {
    expect(metrics.length).toBeGreaterThan(40);
    expect(metrics.flatMap((metric) => metricProblems(template, metric))).toEqual([]);
  });

  it('searches metrics with dimensions whose values are not known in advance', () => {
    const searches = rows.flatMap(([first]) =>
      typeof first === 'object' && first.expression?.startsWith('SEARCH') ? first.expression : [],
    );
    const common = 'PetStore,service,stage,operation';

    expect(searches).toEqual([
      `SEARCH('{${common},errorCode} MetricName="Errors" stage="v1-production"', 'Sum', 300)`,
      `SEARCH('{${common},functionVersion} MetricName="ServerErrors" stage="v1-production"', 'Sum', 300)`,
    ]);
  });
});

/** `[name, condition, time]` */
function summary(alarm: Properties): string[] {
  const metrics = (alarm.Metrics ?? []) as { MetricStat?: Properties }[];
  const period = alarm.Period ?? metrics.find(({ MetricStat }) => MetricStat)?.MetricStat?.Period;
  const { DatapointsToAlarm: breaching = alarm.EvaluationPeriods, EvaluationPeriods: periods } =
    alarm;
  const operators = { GreaterThanOrEqualToThreshold: '>=', LessThanThreshold: '<' };
  return [
    textOf(alarm.AlarmName).replace(prefix, ''),
    `${operators[alarm.ComparisonOperator as 'LessThanThreshold']} ${alarm.Threshold}`,
    `${breaching === periods ? '' : `${breaching} of `}${periods} × ${period} s`,
  ];
}
