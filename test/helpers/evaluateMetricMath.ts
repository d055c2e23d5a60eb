/**
 * Returns the value of an expression of CloudWatch's metric math for one period.
 *
 * A metric without data leaves no value, except in FILL.
 */
export function evaluateMetricMath(
  expression: string,
  metrics: Record<string, number | undefined>,
): number | undefined {
  const names = [...new Set(expression.match(/\b[a-z]\w*/g))];
  const functions = {
    FILL: (value: number, filling: number) => (Number.isNaN(value) ? filling : value),
    IF: (condition: boolean, value: number, otherwise: number) => (condition ? value : otherwise),
    MAX: (values: number[]) => Math.max(...values),
  };
  const calculate = new Function(...Object.keys(functions), ...names, `return ${expression}`);
  const values = names.map((name) => metrics[name] ?? Number.NaN);
  const value = calculate(...Object.values(functions), ...values);
  return Number.isNaN(value) ? undefined : value;
}
