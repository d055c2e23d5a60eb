import { describe, expect, it } from 'vitest';
import { stackName } from '../../../infra/stackNames.ts';
import { stagesWithEverything } from '../../helpers/bareStage.ts';
import {
  checkAlarmMath,
  checkGraphMath,
  evaluateMetricMath,
  type MetricQuery,
} from '../../helpers/evaluateMetricMath.ts';
import {
  alarmQueries,
  graphQueries,
  synthesise,
  templateOf,
  templates,
} from '../../helpers/templates.ts';

const everything = synthesise(stagesWithEverything);
const ofEverything = stagesWithEverything.map(({ name }) =>
  templateOf(everything, stackName(name)),
);

describe('metric math', () => {
  it('of every alarm and graph is accepted by CloudWatch', () => {
    const all = [...templates.map(({ template }) => template), ...ofEverything];
    const alarms = all.flatMap(alarmQueries);
    const graphs = all.flatMap(graphQueries);

    expect([alarms, graphs].map(({ length }) => length > 30)).toEqual([true, true]);
    for (const alarm of alarms) checkAlarmMath(alarm);
    for (const graph of graphs) checkGraphMath(graph);
  });
});

const metric = { namespace: 'AWS/Lambda', name: 'Errors', dimensions: {} };
const metrics: MetricQuery[] = [
  { id: 'a', metric },
  { id: 'b', metric },
  { id: 'used', metric: { ...metric, name: 'ConcurrentExecutions' } },
];
const alarmOn = (expression: string) => [...metrics, { id: 'e1', expression, isResult: true }];

describe('the checker of metric math', () => {
  it.each([
    'IF(a > 0, a, 0)',
    'IF(a > FILL(b, 0), a - FILL(b, 0), 0)',
    'MAX([a, b])',
    'a - MAX(a)',
    'SUM([a, b] / a)',
    '100 * a / SERVICE_QUOTA(used)',
    '-a + (b - 1.5) * 2',
    'a > 15 AND b > 15',
  ])('accepts %s in an alarm', (expression) => {
    expect(() => checkAlarmMath(alarmOn(expression))).not.toThrow();
  });

  it.each([
    ['MAX([a - FILL(b, 0), 0])', "operand type(s) for MAX: '[Array[TimeSeries, Scalar]]'"],
    ['MAX(a, b)', "operand type(s) for MAX: '[TimeSeries, TimeSeries]'"],
    ['a - [a, b] * [a, b]', 'operand type(s) for *'],
    ['IF([a, b] > 0, a, 0)', 'operand type(s) for >'],
    ['IF(a > 0, 1, 0, 0)', 'operand type(s) for IF'],
    ['FILL(a)', 'operand type(s) for FILL'],
    ['FILL(a, b)', 'operand type(s) for FILL'],
    ['MAX(a)', 'MAX(a) is S, not a time series'],
    ['1 + 1', '1 + 1 is S, not a time series'],
    ['[a, b]', 'An alarm watches one time series, not [TS[]]'],
    ['a - c', 'No metric or expression has the id c'],
    ['CLAMP(a, 0)', 'The function CLAMP is not known'],
    ['max(a)', 'goes on after its end'],
    ['a +', 'has its end where a value belongs'],
    ['(a', 'has its end where ) belongs'],
    ['a % b', 'goes on after its end: % b'],
    ['a - 0x10', 'goes on after its end: x10'],
    ['SERVICE_QUOTA(a)', 'no service quota associated to AWS/Lambda Errors'],
    ['SERVICE_QUOTA(a + b)', 'SERVICE_QUOTA takes a metric'],
    ["SUM(SEARCH('{AWS/Lambda}', 'Sum', 300))", 'SEARCH is not supported in an alarm'],
    ['SUM(METRICS())', 'METRICS is not supported in an alarm'],
  ])('refuses %s in an alarm', (expression, reason) => {
    expect(() => checkAlarmMath(alarmOn(expression))).toThrow(reason);
  });

  it('refuses an alarm with more than 10 metrics, or without exactly one result', () => {
    const eleven = Array.from({ length: 11 }, (_, index) => ({ id: `m${index}`, metric }));

    expect(() => checkAlarmMath([...alarmOn('a'), ...eleven])).toThrow('at most 10 metrics');
    expect(() => checkAlarmMath(metrics)).toThrow('one time series, not []');
    expect(() =>
      checkAlarmMath([...alarmOn('a'), { id: 'e2', expression: 'b', isResult: true }]),
    ).toThrow('one time series, not [TS,TS]');
  });

  it('refuses an id that starts with a capital letter', () => {
    expect(() => checkGraphMath([{ id: 'Errors', metric }])).toThrow('Errors is no id');
  });

  it('checks the types of an expression through the id of another one', () => {
    const array = { id: 'both', expression: '[a, b]' };

    expect(() => checkAlarmMath([...alarmOn('SUM(both)'), array])).not.toThrow();
    expect(() => checkAlarmMath([...alarmOn('FILL(both, 0)'), array])).toThrow('[TS[]]');
    expect(() => checkGraphMath([...alarmOn('FILL(both, 0)'), array])).not.toThrow();
  });
});

// The rules are those of AWS's document, with its examples.
it.each([
  ['a - b', { a: 3 }, 3],
  ['a + 1', {}, undefined],
  ['a / b', { a: 3, b: 0 }, undefined],
  ['2 + 3 * a - 1', { a: 4 }, 13],
  ['a / (b - 1) / 2', { a: 8, b: 3 }, 2],
  ['-a', { a: 2 }, -2],
  ['a < b', { b: 20 }, 1],
  ['a >= 30', { a: 30 }, 1],
  ['FILL(a, 7) + FILL(b, 7)', { b: 1 }, 8],
  ['IF(a, b, 5)', { b: 30 }, undefined],
  ['IF(a, b, 5)', { a: 1 }, 0],
  ['IF(a, b, 5)', { a: 0, b: 30 }, 5],
  ['IF(a, 5, b)', { a: 0 }, undefined],
])('the value of %s with %j is %j', (expression, values, value) => {
  expect(evaluateMetricMath(expression, values)).toBe(value);
});
