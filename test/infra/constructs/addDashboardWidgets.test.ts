import { describe, expect, it } from 'vitest';
import { operationEntries } from '../../../lib/operations.ts';
import { graphQueries, subjectsOf } from '../../helpers/alarms.ts';
import { evaluateMetricMath } from '../../helpers/metricMath.ts';
import {
  propertiesOf,
  resourcesOf,
  shortId,
  production as template,
} from '../../helpers/templates.ts';

const names = operationEntries.map(([name]) => name);

describe('the dashboard', () => {
  const [{ DashboardBody = '' } = {}] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
  const { start, widgets } = JSON.parse(DashboardBody);

  it('opens at three hours, and begins with the state of all alarms', () => {
    const ids = ['Alarm', 'CompositeAlarm'].flatMap((type) =>
      resourcesOf(template, `AWS::CloudWatch::${type}`).map(([id]) => `<${shortId(id)}.Arn>`),
    );
    // A part says nothing without the other window.
    const isPart = /Burn(Long|Short)/;

    expect(start).toBe('-PT3H');
    expect(widgets[0].type).toBe('alarm');
    expect(widgets[0].properties.alarms.toSorted()).toEqual(
      ids.filter((id) => !isPart.test(id)).sort(),
    );
    expect(widgets[0].properties.sortBy).toBe('stateUpdatedTimestamp');
  });

  it.each(names)('continues with the failed percentage of each operation: %s', (name) => {
    const graph = graphQueries(template)[1] ?? [];
    const expressions = graph.filter(({ expression }) => expression);
    const shown = { ...expressions[names.indexOf(name)], id: 'shown', isResult: true };
    const metrics = graph.filter(({ metric, id }) => metric && id.endsWith(name));
    const failed = (crashes: number, errors: number, requests: number) =>
      evaluateMetricMath([...metrics, shown], {
        [`crashes${name}`]: crashes,
        [`errors${name}`]: errors,
        [`requests${name}`]: requests,
      });

    expect(expressions).toHaveLength(names.length);
    expect(subjectsOf(metrics)).toEqual([`<${name}Function>`, `<${name}Function>`, name]);
    expect(failed(1, 2, 100)).toBe(3);
    expect(failed(0, 0, 100)).toBe(0);
  });
});
