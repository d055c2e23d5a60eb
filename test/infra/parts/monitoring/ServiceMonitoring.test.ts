import { describe, expect, it } from 'vitest';
import { releaseAlarmOutput, stackName } from '../../../../infra/core/stackNames.ts';
import { operationEntries } from '../../../../lib/operations.ts';
import { type TableName, tableName, tables } from '../../../../lib/tables.ts';
import { alarmsOf, goesOff, metricsOf, subjectsOf } from '../../../helpers/alarms.ts';
import { durableName } from '../../../helpers/bareStage.ts';
import { evaluateMetricMath, type MetricQuery } from '../../../helpers/metricMath.ts';
import { monitored as template } from '../../../helpers/monitoredStage.ts';
import { propertiesOf, readable, resourcesOf, shortId } from '../../../helpers/templates.ts';

const alarms = alarmsOf(template);
const names = operationEntries.map(([name]) => name);

const alarmName = (name: string) => `${stackName(durableName)}-${name}`;
const alarmOf = (name: string) =>
  alarms.find((each) => each.name === alarmName(name)) ?? expect.fail(name);
const dimensionsOf = (queries: MetricQuery[]) =>
  metricsOf(queries).map(({ dimensions }) => dimensions);

describe('the alarms', () => {
  it('also evaluate the previous period if late data first count as 0', () => {
    const filling = alarms.filter(({ queries }) => /^FILL/.test(queries[0]?.expression ?? ''));

    expect(filling).not.toEqual([]);
    for (const { name, properties } of filling) {
      const { EvaluationPeriods, DatapointsToAlarm, ComparisonOperator } = properties;
      // An alarm that goes off at 0 waits for a second period.
      const needed = ComparisonOperator === 'LessThanThreshold' ? 2 : 1;
      expect([name, EvaluationPeriods, DatapointsToAlarm]).toEqual([name, 2, needed]);
    }
  });

  it('stay silent while a new stack has no data, and see missing data later without delay', () => {
    const [needData, others] = [true, false].map((expected) =>
      alarms.filter((each) => goesOff(each, {}) === expected),
    );

    expect(needData?.map(({ name }) => name)).toEqual([alarmName('Service-Heartbeat')]);
    for (const { properties, queries } of needData ?? []) {
      expect(properties.WarmUpConfiguration).toEqual({
        WarmUpPeriodDurationInMinutes: 15,
        OnlyStartEvaluatingAfterWarmUpPeriodEnds: true,
      });
      // For a period without a value, CloudWatch would evaluate an older one.
      expect(evaluateMetricMath(queries, {})).toBe(0);
    }
    for (const { properties } of others ?? []) {
      expect(properties).not.toHaveProperty('WarmUpConfiguration');
    }
  });

  it('see 5xx responses as a rate of valid requests, with a minimum', () => {
    const long = (errors: number, valid: number) =>
      goesOff(alarmOf('Api-FastBurnLong'), { errors, valid });

    // 1.44 % of the valid requests.
    expect(long(15, 1000)).toBe(true);
    expect(long(14, 1000)).toBe(false);
    expect(long(4, 4)).toBe(false);
    expect(long(0, 0)).toBe(false);
  });

  it.each(names)(
    'see %s, and no other operation, if 5 of its requests and a twentieth of them fail',
    (name) => {
      const alarm = alarmOf(`${name}-Failures`);
      const { DatapointsToAlarm, EvaluationPeriods } = alarm.properties;

      expect(subjectsOf(alarm.queries)).toEqual([`<${name}Function>`, `<${name}Function>`, name]);
      expect([DatapointsToAlarm, EvaluationPeriods]).toEqual([2, 3]);
      expect(goesOff(alarm, { crashes: 5, requests: 100 })).toBe(true);
      expect(goesOff(alarm, { errors: 5, requests: 100 })).toBe(true);
      expect(goesOff(alarm, { crashes: 2, errors: 3, requests: 100 })).toBe(true);
      expect(goesOff(alarm, { errors: 4, requests: 4 })).toBe(false);
      expect(goesOff(alarm, { errors: 49, requests: 1000 })).toBe(false);
      expect(goesOff(alarm, { requests: 1000 })).toBe(false);
    },
  );

  it('see refused requests as a share of the refused and valid requests, with a minimum', () => {
    const refuses = (refused: number, valid: number) =>
      goesOff(alarmOf('Api-Refusals'), { refused, valid });

    expect(refuses(50, 950)).toBe(true);
    expect(refuses(49, 951)).toBe(false);
    expect(refuses(100, 0)).toBe(true);
    expect(refuses(99, 0)).toBe(false);
  });

  it('see a heartbeat that fails, or does not run', () => {
    expect(goesOff(alarmOf('Service-Heartbeat'), { runs: 1, failures: 0 })).toBe(false);
    expect(goesOff(alarmOf('Service-Heartbeat'), { runs: 1, failures: 1 })).toBe(true);
    expect(goesOff(alarmOf('Service-Heartbeat'), {})).toBe(true);
  });

  it('report a rate of errors if both of its windows are in alarm', () => {
    const rules = propertiesOf(template, 'AWS::CloudWatch::CompositeAlarm').map(({ AlarmRule }) =>
      AlarmRule.replaceAll(/<\w+?((Fast|Slow)Burn(Long|Short))\.Arn>/g, '$1'),
    );

    expect(rules).toEqual([
      '(ALARM("FastBurnLong") AND ALARM("FastBurnShort"))',
      '(ALARM("SlowBurnLong") AND ALARM("SlowBurnShort"))',
    ]);
  });

  it('watch each table that lists query, with its index, and no table that cannot be throttled', () => {
    const watched = (metricName: string) =>
      alarms
        .flatMap(({ queries }) => metricsOf(queries))
        .flatMap(({ name, dimensions }) => (name === metricName ? [dimensions] : []))
        .map((dimensions) => Object.values(dimensions).join(' '))
        .sort();
    const queried = operationEntries
      .flatMap(([, { access }]) => [...access])
      .flatMap((each) => (each.action === 'Query' ? [each] : []))
      .flatMap(({ table, index }) => [
        tableName(durableName, table),
        `${index} ${tableName(durableName, table)}`,
      ]);
    const tablesAndIndexes = [...new Set(queried)].sort();

    expect(tablesAndIndexes).not.toEqual([]);
    for (const kind of ['Read', 'Write']) {
      expect(watched(`${kind}KeyRangeThroughputThrottleEvents`)).toEqual(tablesAndIndexes);
    }
  });

  it('see each request that deletes items of a table that can be restored', () => {
    const kept = (Object.keys(tables) as TableName[]).filter(
      (name) => tables[name].pointInTimeRecovery !== 'never',
    );
    const watching = alarms.filter(({ name }) => name.endsWith('-Deletes'));

    expect(kept).not.toEqual([]);
    expect(watching.flatMap(({ queries }) => dimensionsOf(queries))).toEqual(
      kept.flatMap((name) =>
        ['DeleteItem', 'BatchWriteItem'].map((Operation) => ({
          Operation,
          TableName: tableName(durableName, name),
        })),
      ),
    );
    for (const alarm of watching) {
      const statistics = JSON.stringify(alarm.properties.Metrics).match(/(?<="Stat":")\w+/g);
      // The other statistics of a latency are milliseconds.
      expect(statistics).toEqual(['SampleCount', 'SampleCount']);
      expect(goesOff(alarm, { m0: 1 })).toBe(true);
      expect(goesOff(alarm, { m1: 1 })).toBe(true);
      expect(goesOff(alarm, {})).toBe(false);
    }
  });

  it('see a bad release if 3 requests and a hundredth of the valid ones fail, and output its ARN', () => {
    const rollsBack = (errors: number, valid: number) =>
      goesOff(alarmOf('Api-Release'), { errors, valid });
    const { [releaseAlarmOutput]: output } = readable(template.findOutputs('*'));
    const [id] = resourcesOf(template, 'AWS::CloudWatch::Alarm').find(
      ([, { Properties }]) => Properties.AlarmName === alarmName('Api-Release'),
    ) ?? [''];

    expect(rollsBack(3, 300)).toBe(true);
    expect(rollsBack(3, 301)).toBe(false);
    expect(rollsBack(2, 2)).toBe(false);
    expect(goesOff(alarmOf('Api-Release'), {})).toBe(false);
    expect(output.Value).toBe(`<${shortId(id)}.Arn>`);
  });

  it('notify the operators, except for those that CloudFormation or another alarm watches', () => {
    const silent = alarms.filter(({ properties }) => !properties.AlarmActions);

    expect(silent.map(({ name }) => name).sort()).toEqual(
      ['FastBurnLong', 'FastBurnShort', 'Release', 'SlowBurnLong', 'SlowBurnShort'].map((name) =>
        alarmName(`Api-${name}`),
      ),
    );
  });
});
