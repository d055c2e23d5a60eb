import jsep from 'jsep';

// The language of AWS's "Using math expressions with CloudWatch metrics", as far as the stacks use it: an
// operator or a function that is not here is refused. AWS documents no precedence of operators, so the usual
// one is assumed.

/** A metric or an expression of an alarm or a graph. */
export type MetricQuery = {
  id: string;
  expression?: string | undefined;
  metric?: { namespace: string; name: string; dimensions: Record<string, string> };
  /** Whether the alarm watches it. */
  isResult?: boolean;
};

const calculate = { 'S, S': 'S', 'S, TS': 'TS', 'TS, S': 'TS', 'TS, TS': 'TS' };

/** What each operator and function takes and returns: a scalar, a time series, an array of time series. */
const signatures: Record<string, Record<string, string>> = {
  '>=': { 'S, S': 'S', 'TS, S': 'TS', 'TS, TS': 'TS' },
  ...{ '+': calculate, '-': calculate, '*': calculate, '/': calculate },
  FILL: { 'TS, S': 'TS' },
  IF: { 'TS, S, S': 'TS', 'TS, S, TS': 'TS', 'TS, TS, S': 'TS', 'TS, TS, TS': 'TS' },
  SERVICE_QUOTA: { TS: 'TS' },
};

/** Throws for an alarm that CloudWatch would refuse, by its metric math. */
export function checkAlarmMath(queries: readonly MetricQuery[]): void {
  const { length } = queries.filter(({ metric }) => metric);
  if (length > 10) fail(`An alarm takes at most 10 metrics, not ${length}.`);
  checkGraphMath(queries);
  const types = queries
    .filter(({ isResult }) => isResult)
    .map(({ id }) => typeOf(jsep(id), queries));
  if (String(types) !== 'TS') fail(`An alarm watches one time series, not [${types}].`);
}

/** Throws for a graph that CloudWatch would not draw, by its metric math. */
export function checkGraphMath(queries: readonly MetricQuery[]): void {
  for (const { id, expression } of queries) {
    if (!/^([a-z]\w*)?$/.test(id)) fail(`${id} is no id: it starts with a lower-case letter.`);
    if (!expression) continue;
    const type = typeOf(jsep(expression), queries);
    if (!type.startsWith('TS')) fail(`${expression} is ${type}, not a time series.`);
  }
}

/**
 * Returns the value that an alarm watches, for one period. NaN is no data.
 *
 * CloudWatch takes 0 for one missing operand of two. Here the result is missing too, and a comparison is
 * false. So an expression must say by FILL which value it needs.
 */
export function evaluateMetricMath(
  queries: readonly MetricQuery[],
  values: Record<string, number>,
): number {
  const evaluate = (node: jsep.Expression): number => {
    if (node.type === 'Literal') return Number(node.value);
    if (node.type === 'Identifier') {
      const { expression } = find(queries, String(node.name));
      return expression ? evaluate(jsep(expression)) : (values[String(node.name)] ?? Number.NaN);
    }
    const { name, args } = callOf(node);
    const [a = Number.NaN, b = Number.NaN, c = Number.NaN] = args.map(evaluate);
    const results: Record<string, number | boolean> = {
      '>=': a >= b,
      // The data point of a division by zero is dropped.
      ...{ '+': a + b, '-': a - b, '*': a * b, '/': b ? a / b : Number.NaN },
      FILL: Number.isNaN(a) ? b : a,
      IF: a ? b : c,
      // Only CloudWatch knows a quota. Without data of its metric, a quota has no value.
      ...(Number.isNaN(a) && { SERVICE_QUOTA: a }),
    };
    return Number(results[name] ?? fail(`The value of ${name} is not known here.`));
  };
  const [result] = queries.filter(({ isResult }) => isResult);
  return evaluate(jsep(result?.id ?? ''));
}

function typeOf(node: jsep.Expression, queries: readonly MetricQuery[]): string {
  if (node.type === 'Literal') return typeof node.value === 'number' ? 'S' : 'text';
  if (node.type === 'Identifier') {
    const { expression } = find(queries, String(node.name));
    return expression ? typeOf(jsep(expression), queries) : 'TS';
  }
  const { name, args } = callOf(node);
  const signature = signatures[name] ?? fail(`${name} is not known here.`);
  const types = args.map((each) => typeOf(each, queries)).join(', ');
  if (name === 'SERVICE_QUOTA') {
    const { metric } = find(queries, String(args[0]?.name));
    if (!metric) return fail('SERVICE_QUOTA takes a metric.');
    // The API of Service Quotas names no other metric of the functions as the `UsageMetric` of a quota.
    const { namespace, name: metricName, dimensions } = metric;
    const text = [namespace, metricName, ...Object.keys(dimensions)].join(' ');
    if (text !== 'AWS/Lambda ConcurrentExecutions') {
      fail(`There is no service quota associated to ${text}.`);
    }
  }
  return signature[types] ?? fail(`${name} takes no (${types}).`);
}

/** Returns an operator or a function as a call. */
function callOf(node: jsep.Expression): { name: string; args: jsep.Expression[] } {
  const { type, operator, left, right, callee, arguments: args } = Object(node);
  if (type === 'BinaryExpression') return { name: operator, args: [left, right] };
  if (type === 'CallExpression') return { name: callee.name, args };
  return fail(`Metric math has no ${type}.`);
}

function find(queries: readonly MetricQuery[], id: string): MetricQuery {
  const [query] = queries.filter((each) => each.id === id);
  return query ?? fail(`No metric or expression has the id ${id}.`);
}

function fail(message: string): never {
  throw new Error(message);
}
