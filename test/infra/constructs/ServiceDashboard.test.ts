import { describe, expect, it } from 'vitest';
import { type DashboardRow, metricProblems, rowMetric } from '../../helpers/templateMetrics.ts';
import { functionNames, propertiesOf, templates, textOf } from '../../helpers/templates.ts';

type Widget = {
  type: string;
  properties: { markdown?: string; metrics?: DashboardRow[]; query?: string };
};

describe.each(templates)('ServiceDashboard of $stage.name', ({ stage, template }) => {
  const [{ DashboardName = '', DashboardBody = '' } = {}] = propertiesOf(
    template,
    'AWS::CloudWatch::Dashboard',
  );
  const { widgets } = JSON.parse(textOf(DashboardBody)) as { widgets: Widget[] };
  const rows = widgets.flatMap(({ properties }) => properties.metrics ?? []);
  const metrics = rows.filter(([first]) => typeof first === 'string').map(rowMetric);

  it('shows traffic, errors, latency, saturation and cost drivers', () => {
    const headings = widgets.filter(({ type }) => type === 'text');

    expect(DashboardName).toBe(`PetStore-${stage.name}`);
    expect(headings.map(({ properties }) => properties.markdown)).toEqual([
      '## Traffic',
      '## Errors',
      '## Latency',
      '## Saturation',
      '## Cost drivers',
    ]);
  });

  it('draws metrics that exist, of resources of this stack', () => {
    expect(metrics.length).toBeGreaterThan(40);
    expect(metrics.flatMap((metric) => metricProblems(template, metric))).toEqual([]);
  });

  it.each(functionNames)('draws the requests, crashes, durations and log of %s', (name) => {
    const values = metrics.flatMap(({ name: metricName, dimensions }) =>
      Object.values(dimensions).map((value) => `${metricName} ${value}`),
    );

    expect(values).toEqual(
      expect.arrayContaining([
        ...['Invocations', 'Errors', 'Duration', 'ConcurrentExecutions', 'Throttles'].map(
          (metricName) => `${metricName} <${name}Function>`,
        ),
        `IncomingBytes <${name}Log>`,
      ]),
    );
  });

  it('searches metrics with dimensions whose values are not known in advance', () => {
    const expressions = rows.flatMap(([first]) =>
      typeof first === 'object' ? [first.expression] : [],
    );
    const common = 'PetStore,service,stage,operation';

    expect(expressions).toEqual([
      `SEARCH('{${common},errorCode} MetricName="Errors" stage="${stage.name}"', 'Sum', 300)`,
      `SEARCH('{${common},functionVersion} MetricName="ServerErrors" stage="${stage.name}"', 'Sum', 300)`,
    ]);
  });

  it('counts the pets from the log of createPet', () => {
    const queries = widgets.flatMap(({ properties }) => properties.query ?? []);

    expect(queries.filter((each) => each.includes('petsCreated'))).toEqual([
      "SOURCE '<createPetLog>' | filter ispresent(petsCreated)\n| stats sum(petsCreated) as pets by bin(5m)",
    ]);
  });

  it('lists who calls a deprecated operation, like the saved query, from its log only', () => {
    const [query = {}] = propertiesOf(template, 'AWS::Logs::QueryDefinition');
    const queryText = String(query.QueryString).replaceAll('\n', ' ');
    const logGroups = (query.LogGroupNames as unknown[]).map(textOf);

    expect(query.Name).toBe(`PetStore-${stage.name}/Calls of deprecated operations, by API key`);
    expect(logGroups).toEqual(['<getPetLog>']);
    expect(queryText).toContain('by apiKeyId, operation');
    expect(widgets.map(({ properties }) => properties.query?.replaceAll('\n', ' '))).toContain(
      `SOURCE '<getPetLog>' | ${queryText}`,
    );
  });
});
