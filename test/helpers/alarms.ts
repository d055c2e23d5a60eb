import type { Template } from 'aws-cdk-lib/assertions';
import { evaluateMetricMath, type MetricQuery } from './metricMath.ts';
import { type Properties, propertiesOf, textOf } from './templates.ts';

export type Alarm = { name: string; properties: Properties; queries: MetricQuery[] };

/** The alarms of a template, with references as `textOf` writes them. */
export function alarmsOf(template: Template): Alarm[] {
  return propertiesOf(template, 'AWS::CloudWatch::Alarm').map((properties) => {
    const single = { Id: 'metric', MetricStat: { Metric: properties } };
    const queries = (properties.Metrics ?? [single]) as Properties[];
    return {
      name: textOf(properties.AlarmName),
      properties,
      queries: queries.map(({ Id, Expression, MetricStat, ReturnData }) => ({
        id: String(Id),
        ...(Expression ? { expression: String(Expression) } : {}),
        ...(MetricStat
          ? { metric: toMetric((MetricStat as Properties).Metric as Properties) }
          : {}),
        isResult: ReturnData !== false,
      })),
    };
  });
}

function toMetric({ Namespace, MetricName, Dimensions = [] }: Properties) {
  const dimensions = Dimensions as Properties[];
  return {
    namespace: String(Namespace),
    name: String(MetricName),
    dimensions: Object.fromEntries(dimensions.map(({ Name, Value }) => [Name, textOf(Value)])),
  };
}

/** Whether an alarm goes off if its metrics have these values in each period. An absent one has no data. */
export function goesOff({ properties, queries }: Alarm, values: Record<string, number>): boolean {
  const value = evaluateMetricMath(queries, values);
  if (Number.isNaN(value)) return properties.TreatMissingData === 'breaching';
  return properties.ComparisonOperator === 'LessThanThreshold'
    ? value < Number(properties.Threshold)
    : value >= Number(properties.Threshold);
}

/** The queries of each graph: `[namespace, name, …dimensions, options]`, or `[options]` of an expression. */
export function graphQueries(template: Template): MetricQuery[][] {
  return propertiesOf(template, 'AWS::CloudWatch::Dashboard')
    .flatMap(({ DashboardBody }) => JSON.parse(textOf(DashboardBody)).widgets)
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
