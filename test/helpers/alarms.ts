import type { Template } from 'aws-cdk-lib/assertions';
import { evaluateMetricMath, type MetricQuery } from './metricMath.ts';
import { propertiesOf } from './templates.ts';

export type Alarm = { name: string; properties: Record<string, unknown>; queries: MetricQuery[] };

/** Returns the alarms of a template. An alarm without metric math has a single query too. */
export function alarmsOf(template: Template): Alarm[] {
  return propertiesOf(template, 'AWS::CloudWatch::Alarm').map((properties) => ({
    name: properties.AlarmName,
    properties,
    queries: [properties.Metrics ?? { Id: 'metric', MetricStat: { Metric: properties } }]
      .flat()
      .map(({ Id, Expression, MetricStat, ReturnData }) => ({
        id: Id,
        expression: Expression,
        ...(MetricStat && { metric: toMetric(MetricStat.Metric) }),
        isResult: ReturnData !== false,
      })),
  }));
}

function toMetric({ Namespace, MetricName, Dimensions = [] }: Record<string, unknown>) {
  const dimensions = (Dimensions as { Name: string; Value: string }[]).map(
    ({ Name, Value }) => [Name, Value] as const,
  );
  return {
    namespace: String(Namespace),
    name: String(MetricName),
    dimensions: Object.fromEntries(dimensions),
  };
}

/** The comparisons of a value with the threshold that the alarms have. */
const comparisons: Record<string, (value: number, threshold: number) => boolean> = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
};

/** Whether an alarm goes off if its metrics have these values in each period. An absent metric has no data. */
export function goesOff({ properties, queries }: Alarm, values: Record<string, number>): boolean {
  const value = evaluateMetricMath(queries, values);
  if (Number.isNaN(value)) return properties.TreatMissingData === 'breaching';
  const compare = comparisons[String(properties.ComparisonOperator)];
  if (!compare) throw new Error(`${properties.ComparisonOperator} is not known here.`);
  return compare(value, Number(properties.Threshold));
}

/** Returns the metrics of queries, without their expressions. */
export function metricsOf(queries: readonly MetricQuery[]) {
  return queries.flatMap(({ metric = [] }) => metric);
}

/** Returns the function or operation that each metric is about. */
export function subjectsOf(queries: readonly MetricQuery[]): (string | undefined)[] {
  return metricsOf(queries)
    .map(({ dimensions: { FunctionName, operation } }) => FunctionName ?? operation)
    .sort();
}

/** The queries of each graph: `[namespace, name, …dimensions, options]`, or `[options]` of an expression. */
export function graphQueries(template: Template): MetricQuery[][] {
  return propertiesOf(template, 'AWS::CloudWatch::Dashboard')
    .flatMap(({ DashboardBody }) => JSON.parse(DashboardBody).widgets)
    .map(({ properties: { metrics = [] } }) =>
      metrics.map((row: unknown[]) => {
        const { id = '', expression } = Object(row.at(-1));
        const [namespace, name, ...pairs] = row.filter((each) => typeof each === 'string');
        const dimensions = Object.fromEntries(
          pairs.flatMap((key, index) => (index % 2 ? [] : [[key, pairs[index + 1]]])),
        );
        return { id, expression, ...(namespace && { metric: { namespace, name, dimensions } }) };
      }),
    );
}
