import { expect, it } from 'vitest';
import { alarmsOf, graphQueries } from '../../helpers/alarms.ts';
import { fullProduction, fullStaging } from '../../helpers/fullStacks.ts';
import { checkAlarmMath, checkGraphMath, type MetricQuery } from '../../helpers/metricMath.ts';
import { production, staging } from '../../helpers/templates.ts';

it('the checker of metric math accepts every alarm and graph', () => {
  const all = [production, staging, fullProduction, fullStaging];
  const alarms = all.flatMap(alarmsOf);
  const graphs = all.flatMap(graphQueries);

  expect(alarms).not.toEqual([]);
  expect(graphs).not.toEqual([]);
  for (const { queries } of alarms) checkAlarmMath(queries);
  for (const graph of graphs) checkGraphMath(graph);
});

const metric = { namespace: 'AWS/Lambda', name: 'Errors', dimensions: {} };
const metrics: MetricQuery[] = [
  { id: 'a', metric },
  { id: 'b', metric },
];
const alarmOn = (expression: string) => [...metrics, { id: 'e1', expression, isResult: true }];

it.each([
  ['FILL(a, b)', 'FILL takes no (TS, TS)'],
  ['1 + 2', '1 + 2 is S, not a time series'],
  ['a - c', 'No metric or expression has the id c'],
  // CloudWatch: "Unsupported operand type(s) for MAX: '[Array[TimeSeries, Scalar]]'".
  ['MAX([a - FILL(b, 0), 0])', 'MAX is not known'],
  ['a ? b : 0', 'Metric math has no ConditionalExpression'],
  ['SERVICE_QUOTA(a)', 'no service quota associated to AWS/Lambda Errors'],
])('the checker of metric math refuses an alarm on %s', (expression, reason) => {
  expect(() => checkAlarmMath(alarmOn('FILL(a, 0) - b'))).not.toThrow();
  expect(() => checkAlarmMath(alarmOn(expression))).toThrow(reason);
});

it('the checker of metric math refuses 11 metrics, two results, and an id with a capital letter', () => {
  const eleven = Array.from({ length: 11 }, (_, index) => ({ id: `m${index}`, metric }));

  expect(() => checkAlarmMath([...alarmOn('a'), ...eleven])).toThrow('at most 10 metrics');
  expect(() => checkAlarmMath([...alarmOn('a'), ...alarmOn('b')])).toThrow('not [TS,TS]');
  expect(() => checkGraphMath([{ id: 'Errors', metric }])).toThrow('Errors is no id');
});
