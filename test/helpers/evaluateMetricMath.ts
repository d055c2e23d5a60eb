// The language of AWS's "Using math expressions with CloudWatch metrics", as far as the stacks use it.
// AWS documents no precedence of operators, so the usual one is assumed.

/** A metric or an expression of an alarm or a graph. */
export type MetricQuery = {
  id: string;
  expression?: string | undefined;
  metric?: { namespace: string; name: string; dimensions: object };
  /** Whether the alarm watches it. */
  isResult?: boolean;
};

/** A call is also an operator, or the array `[]`. */
type Node = { number: number } | { text: string } | { id: string } | { call: string; args: Node[] };

const token = /\d+(?:\.\d+)?|'[^']*'|"[^"]*"|\w+|[=!<>]=|&&|\|\||\S/g;

/** By rising precedence. */
const operators = [
  ['OR', '||'],
  ['AND', '&&'],
  ['==', '!=', '<=', '>=', '<', '>'],
  ['+', '-'],
  ['*', '/'],
  ['^'],
];

const compare = { 'S, S': 'S', 'TS, S': 'TS', 'TS, TS': 'TS' };
const calculate = {
  ...{ 'S, S': 'S', 'S, TS': 'TS', 'TS, S': 'TS', 'TS, TS': 'TS' },
  ...{ 'S, TS[]': 'TS[]', 'TS[], S': 'TS[]', 'TS, TS[]': 'TS[]', 'TS[], TS': 'TS[]' },
};
const aggregate = { TS: 'S', 'TS[]': 'TS' };

/** What each function and operator takes and returns: a scalar, a time series, an array of these. */
const signatures: Record<string, Record<string, string>> = {
  ...Object.fromEntries(
    operators.flatMap((names, level) =>
      names.map((name) => [name, level < 3 ? compare : calculate]),
    ),
  ),
  negative: { S: 'S', TS: 'TS', 'TS[]': 'TS[]' },
  ...{ AVG: aggregate, MAX: aggregate, MIN: aggregate, SUM: aggregate },
  FILL: { 'TS, S': 'TS', 'TS[], S': 'TS[]', 'TS[], TS': 'TS[]' },
  IF: {
    ...{ 'TS, S': 'TS', 'TS, TS': 'TS', 'TS, S, S': 'TS', 'TS, S, TS': 'TS' },
    ...{ 'TS, TS, S': 'TS', 'TS, TS, TS': 'TS', 'S, TS': 'TS', 'S, TS, TS': 'TS' },
  },
  PERIOD: { TS: 'S' },
  SEARCH: { 'text, text, S': 'TS[]' },
  SERVICE_QUOTA: { TS: 'TS' },
};

/** Whether the API of Service Quotas names a metric as the `UsageMetric` of a quota. */
const hasQuota = ({ namespace, name, dimensions }: NonNullable<MetricQuery['metric']>) =>
  namespace === 'AWS/Usage' ||
  // Quota L-B99A9384.
  (`${namespace} ${name}` === 'AWS/Lambda ConcurrentExecutions' && !Object.keys(dimensions).length);

/** Throws for an alarm that CloudWatch would refuse, by its metric math. */
export function checkAlarmMath(queries: readonly MetricQuery[]): void {
  const { length } = queries.filter(({ metric }) => metric);
  if (length > 10) fail(`An alarm takes at most 10 metrics, not ${length}.`);
  for (const { expression = '' } of queries) {
    const [name] = /\b(SEARCH|METRICS)\b/.exec(expression) ?? [];
    if (name) fail(`${name} is not supported in an alarm.`);
  }
  checkGraphMath(queries);
  const types = queries.filter(({ isResult }) => isResult).map(({ id }) => typeOf({ id }, queries));
  if (String(types) !== 'TS') fail(`An alarm watches one time series, not [${types}].`);
}

/** Throws for a graph that CloudWatch would not draw, by its metric math. */
export function checkGraphMath(queries: readonly MetricQuery[]): void {
  for (const { id, expression } of queries) {
    if (!/^([a-z]\w*)?$/.test(id)) fail(`${id} is no id: it starts with a lower-case letter.`);
    if (!expression) continue;
    const type = typeOf(parse(expression), queries);
    if (!type.startsWith('TS')) fail(`${expression} is ${type}, not a time series.`);
  }
}

/** Returns the value of an expression for one period. An absent metric has no data in it. */
export function evaluateMetricMath(
  expression: string,
  metrics: Record<string, number | undefined>,
): number | undefined {
  const node = parse(expression);
  typeOf(node);
  return evaluate(node, metrics);
}

/** Without queries, each id is a time series. */
function typeOf(node: Node, queries?: readonly MetricQuery[]): string {
  if ('number' in node) return 'S';
  if ('text' in node) return 'text';
  const find = (id: string) =>
    queries?.find((each) => each.id === id) ?? fail(`No metric or expression has the id ${id}.`);
  if ('id' in node) {
    const { expression } = queries ? find(node.id) : {};
    return expression ? typeOf(parse(expression), queries) : 'TS';
  }
  const { call, args } = node;
  const types = args.map((each) => typeOf(each, queries));
  if (call === '[]')
    return types.every((type) => type === 'TS') ? 'TS[]' : `Array[${types.join(', ')}]`;
  const ofCall = signatures[call] ?? fail(`The function ${call} is not known here.`);
  if (queries && ['PERIOD', 'SERVICE_QUOTA'].includes(call)) {
    const [arg] = args;
    const { metric } = arg && 'id' in arg ? find(arg.id) : {};
    if (!metric) fail(`${call} takes a metric.`);
    if (call === 'SERVICE_QUOTA' && !hasQuota(metric)) {
      fail(`There is no service quota associated to ${metric.namespace} ${metric.name}.`);
    }
  }
  return ofCall[types.join(', ')] ?? fail(unsupported(call, types));
}

/** The error of CloudWatch. */
function unsupported(call: string, types: readonly string[]): string {
  const names = types
    .join(', ')
    .replace(/\bTS\b/g, 'TimeSeries')
    .replace(/\bS\b/g, 'Scalar');
  return `Unsupported operand type(s) for ${call}: '[${names}]'`;
}

function evaluate(node: Node, metrics: Record<string, number | undefined>): number | undefined {
  if ('number' in node) return node.number;
  if ('id' in node) return metrics[node.id];
  if (!('call' in node)) return fail('A text has no value.');
  const { call, args } = node;
  const values = args.map((each) => evaluate(each, metrics));
  const [first, second, third] = values;
  if (call === 'FILL') return first ?? second;
  // A time series without data is 0 where the condition is true.
  if (call === 'IF') return first === undefined ? first : first === 0 ? third : (second ?? 0);
  // Where one of two time series has data, the other one is 0. A scalar adds no data.
  const series = values.filter((_, index) => typeOf(args[index] as Node) === 'TS');
  if (series.length > 0 && series.every((value) => value === undefined)) return undefined;
  const [a = 0, b = 0] = values;
  const results: Record<string, number | boolean> = {
    ...{ '+': a + b, '-': a - b, '*': a * b, '/': a / b, negative: -a },
    ...{ '==': a === b, '!=': a !== b, '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b },
  };
  const result = Number(results[call] ?? fail(`The value of ${call} is not known here.`));
  // The data point of a division by zero is dropped.
  return Number.isFinite(result) ? result : undefined;
}

function parse(expression: string): Node {
  const tokens: string[] = expression.match(token) ?? [];
  const take = (expected?: string) => {
    const next = tokens.shift();
    return next && (!expected || next === expected)
      ? next
      : fail(`${expression} has ${next ?? 'its end'} where ${expected ?? 'a value'} belongs.`);
  };
  const list = (end: string): Node[] => {
    const items = [operation(0)];
    while (tokens[0] === ',') {
      take();
      items.push(operation(0));
    }
    take(end);
    return items;
  };
  const operation = (level: number): Node => {
    const names = operators[level];
    if (!names) return operand();
    let left = operation(level + 1);
    while (names.includes(tokens[0] ?? '')) {
      left = { call: take(), args: [left, operation(level + 1)] };
    }
    return left;
  };
  const operand = (): Node => {
    const next = take();
    if (next === '(') {
      const [inner, ...others] = list(')');
      return inner && others.length === 0 ? inner : fail(`${expression} has a comma too many.`);
    }
    if (next === '[') return { call: '[]', args: list(']') };
    if (next === '-') return { call: 'negative', args: [operand()] };
    if (/^\d/.test(next)) return { number: Number(next) };
    if (/^['"]/.test(next)) return { text: next };
    if (/^[A-Z]/.test(next)) {
      take('(');
      return { call: next, args: list(')') };
    }
    return /^[a-z]/.test(next) ? { id: next } : fail(`${expression} has ${next} for a value.`);
  };
  const node = operation(0);
  if (tokens.length > 0) fail(`${expression} goes on after its end: ${tokens.join(' ')}`);
  return node;
}

function fail(message: string): never {
  throw new Error(message);
}
