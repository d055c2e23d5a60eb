import { describe, expect, it } from 'vitest';
import { propertiesOf, production as template } from '../../../helpers/templates.ts';

const [apiStage = {}] = propertiesOf(template, 'AWS::ApiGateway::Stage');
const filters = propertiesOf(template, 'AWS::Logs::MetricFilter');

/** Returns a line of the access log. The gateway inserts texts, and a dash for what is missing. */
function lineOf(status: number): string {
  const { Format } = apiStage.AccessLogSetting;
  return Format.replace('$context.status', status).replaceAll(/\$context\.[\w.]+/g, '-');
}

/**
 * Whether a filter matches a line, by AWS's “Filter pattern syntax for metric filters”, as far as the stack uses it.
 *
 * A quoted text, which may end in `*`, is compared with a text, and a number with a number.
 */
function matches(pattern: string, line: string): boolean {
  const [, field = '', operator, text = ''] =
    /^\{ \$\.(\w+) (=|!=) "(\w+\*?)" \}$/.exec(pattern) ?? expect.fail(pattern);
  const value = JSON.parse(line)[field];
  if (typeof value !== 'string') return false;
  const isEqual = text.endsWith('*') ? value.startsWith(text.slice(0, -1)) : value === text;
  return operator === '=' ? isEqual : !isEqual;
}

describe('the metrics of the access log', () => {
  it.each([
    [200, ['ValidRequests']],
    [204, ['ValidRequests']],
    [304, ['ValidRequests']],
    [400, []],
    [401, []],
    [429, ['RefusedRequests']],
    [500, ['FailedRequests', 'ValidRequests']],
    [503, ['FailedRequests', 'ValidRequests']],
    [504, ['FailedRequests', 'ValidRequests']],
  ])('count a response with status %i as %j', (status, expected) => {
    const counting = filters.filter(({ FilterPattern }) => matches(FilterPattern, lineOf(status)));

    const counted = counting.map(({ MetricTransformations: [each] }) => each.MetricName);
    expect(counted.sort()).toEqual(expected);
  });
});
