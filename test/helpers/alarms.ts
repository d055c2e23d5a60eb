import type { Template } from 'aws-cdk-lib/assertions';
import { evaluateMetricMath, type MetricQuery } from './metricMath.ts';
import { propertiesOf } from './templates.ts';

export type Alarm = ReturnType<typeof alarmsOf>[number];

/** The alarms of a template. An alarm on a metric without metric math is a query too. */
export function alarmsOf(template: Template) {
  return propertiesOf(template, 'AWS::CloudWatch::Alarm').map((properties) => ({
    name: String(properties.AlarmName),
    properties,
    queries: (properties.Metrics ?? [{ Id: 'metric', MetricStat: { Metric: properties } }]).map(
      toQuery,
    ) as MetricQuery[],
  }));
}

function toQuery({ Id: id, Expression: expression, MetricStat, ReturnData }: QueryProperties) {
  const isResult = ReturnData !== false;
  if (!MetricStat) return { id, expression, isResult };
  const { Namespace: namespace, MetricName: name, Dimensions = [] } = MetricStat.Metric;
  const dimensions = Object.fromEntries(Dimensions.map((each) => [each.Name, each.Value]));
  return { id, metric: { namespace, name, dimensions }, isResult };
}

type QueryProperties = {
  Id: string;
  Expression?: string;
  MetricStat?: {
    Metric: {
      Namespace: string;
      MetricName: string;
      Dimensions?: { Name: string; Value: string }[];
    };
  };
  ReturnData?: boolean;
};

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
