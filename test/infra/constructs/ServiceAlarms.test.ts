import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { actionsOn, metricTrouble, type NamedMetric } from '../../helpers/metricTrouble.ts';
import {
  type Properties,
  propertiesOf,
  resourcesOf,
  shortId,
  synthesise,
  templateOf,
  templates,
  textOf,
} from '../../helpers/templates.ts';

const headings = readFileSync('docs/operations.md', 'utf8').matchAll(/^#+ (.+)$/gm);
const anchors = [...headings].map(([, heading = '']) => heading.toLowerCase().replaceAll(' ', '-'));

describe.each(templates)('the alarms of $stage.name', ({ stage, template }) => {
  const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm');

  it('go off at these thresholds', () => {
    const prefix = `PetStore-${stage.name}-`;
    const atVersion = (name: string) => [
      [`${name}-NewVersionCrashes-<${name}FunctionCurrentVersion.Version>`, '>= 1', '1 × 60 s'],
      [`${name}-NewVersionErrors-<${name}FunctionCurrentVersion.Version>`, '>= 1', '1 × 60 s'],
    ];

    expect(alarms.map((alarm) => summary(alarm, prefix))).toEqual([
      ...atVersion('listPets'),
      ...atVersion('createPet'),
      ...atVersion('getPet'),
      ...atVersion('fallback'),
      ['ServerErrorRate', '>= 1', '1 × 300 s', 'IF(errors >= 5, 100 * errors / requests, 0)'],
      ['Latency', '>= 2000', '3 × 300 s', 'IF(requests >= 100, latency, 0)'],
      ['FunctionErrors', '>= 3', '1 of 2 × 300 s', 'SUM(FILL(METRICS(), 0))'],
      ['FunctionThrottles', '>= 1', '1 of 2 × 300 s', 'SUM(FILL(METRICS(), 0))'],
      ['PetsTableThrottles', '>= 10', '1 of 2 × 300 s', 'SUM(FILL(METRICS(), 0))'],
      ['PetsTableErrors', '>= 10', '1 of 2 × 300 s', 'SUM(FILL(METRICS(), 0))'],
      ['ApiKeysTableThrottles', '>= 10', '1 of 2 × 300 s', 'SUM(FILL(METRICS(), 0))'],
      ['ApiKeysTableErrors', '>= 10', '1 of 2 × 300 s', 'SUM(FILL(METRICS(), 0))'],
      ['IdempotencyTableThrottles', '>= 10', '1 of 2 × 300 s', 'SUM(FILL(METRICS(), 0))'],
      ['IdempotencyTableErrors', '>= 10', '1 of 2 × 300 s', 'SUM(FILL(METRICS(), 0))'],
    ]);
  });

  it('look at metrics that exist, of resources of this stack', () => {
    const metrics = alarms.flatMap(metricsOf);

    expect(metrics.length).toBeGreaterThan(30);
    expect(metrics.flatMap((metric) => metricTrouble(template, metric))).toEqual([]);
  });

  it('refer in their expressions to metrics that they have', () => {
    for (const { Metrics } of alarms) {
      const [expression, ...metrics] = (Metrics ?? []) as Properties[];
      const words = String(expression?.Expression ?? '').match(/\b[a-z]\w*/g) ?? [];
      const ids = metrics.map(({ Id }) => Id);
      for (const word of words) expect(ids).toContain(word);
    }
  });

  it('take a quiet service for a healthy one', () => {
    for (const alarm of alarms) expect(alarm.TreatMissingData).toBe('notBreaching');
  });

  it('watch every function, every table and index, and every call that may be made to it', () => {
    const metrics = alarms.flatMap(metricsOf);
    const seen = (name: string) =>
      metrics
        .filter((metric) => metric.name === name)
        .map(({ dimensions }) => Object.values(dimensions).join(' '));
    const functions = ['listPets', 'createPet', 'getPet', 'fallback'];
    const places = ['<Pets>', 'byStatus <Pets>', '<ApiKeys>', '<Idempotency>'];
    const calls = ['<Pets>', '<ApiKeys>', '<Idempotency>'].flatMap((table) =>
      actionsOn(template, table).map((action) => `${action} ${table}`),
    );

    expect(seen('Throttles')).toEqual(functions.map((name) => `<${name}Function>`));
    expect(seen('ReadThrottleEvents')).toEqual(places);
    expect(seen('WriteThrottleEvents')).toEqual(places);
    expect(seen('SystemErrors')).toEqual(calls);
  });

  it('say what is wrong, and where the runbook has a section for it', () => {
    expect(anchors).toContain('server-error-rate');
    for (const { AlarmDescription } of alarms) {
      const [, impact = '', anchor] =
        /^(.+\.) Runbook: docs\/operations\.md#([a-z-]+)$/.exec(String(AlarmDescription)) ?? [];
      expect(impact.length).toBeGreaterThan(40);
      expect(anchors).toContain(anchor);
    }
  });

  it('tell the operators, but for those that only CodeDeploy watches', () => {
    const [deploymentGroups, silent] = [
      propertiesOf(template, 'AWS::CodeDeploy::DeploymentGroup').flatMap(
        ({ AlarmConfiguration }) => (AlarmConfiguration as { Alarms: Properties[] }).Alarms,
      ),
      resourcesOf(template, 'AWS::CloudWatch::Alarm').filter(
        ([, { Properties }]) => !Properties.AlarmActions,
      ),
    ];
    const loud = alarms.filter(({ AlarmActions }) => AlarmActions);

    expect(silent.map(([id]) => `<${shortId(id)}>`)).toEqual(
      deploymentGroups.map(({ Name }) => textOf(Name)),
    );
    for (const { AlarmActions, OKActions } of loud) {
      expect([AlarmActions, OKActions].flat().map(textOf)).toEqual([
        '<AlarmTopic>',
        '<AlarmTopic>',
      ]);
    }
  });
});

describe.each(templates)('AlarmTopic of $stage.name', ({ template }) => {
  it('takes messages over TLS alone, from alarms of the account and from rules', () => {
    const [policy = {}] = propertiesOf(template, 'AWS::SNS::TopicPolicy');
    const { Statement } = policy.PolicyDocument as { Statement: Properties[] };

    expect(Statement).toMatchObject([
      {
        Effect: 'Deny',
        Principal: '*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
      {
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
      { Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' } },
    ]);
    for (const { Action } of Statement) expect(Action).toBe('sns:Publish');
  });

  it('has no subscriber unless one is named', () => {
    template.resourceCountIs('AWS::SNS::Subscription', 0);
  });
});

describe('AlarmTopic', () => {
  it('mails the address that the deployment names', () => {
    const app = synthesise({ alarmEmail: 'ops@example.com' });
    const template = templateOf(app, 'PetStore-v1-production');

    expect(propertiesOf(template, 'AWS::SNS::Subscription')).toMatchObject([
      { Protocol: 'email', Endpoint: 'ops@example.com', TopicArn: expect.anything() },
    ]);
  });
});

describe.each(templates)('ServiceDashboard of $stage.name', ({ stage, template }) => {
  const [{ DashboardName = '', DashboardBody = '' } = {}] = propertiesOf(
    template,
    'AWS::CloudWatch::Dashboard',
  );
  const { widgets } = JSON.parse(textOf(DashboardBody)) as { widgets: Widget[] };

  it('shows traffic, errors, latency, saturation and cost drivers', () => {
    const titles = widgets.filter(({ type }) => type === 'text');

    expect(DashboardName).toBe(`PetStore-${stage.name}`);
    expect(titles.map(({ properties }) => properties.markdown)).toEqual([
      '## Traffic',
      '## Errors',
      '## Latency',
      '## Saturation',
      '## Cost drivers',
    ]);
  });

  it('draws metrics that exist, of resources of this stack', () => {
    const rows = widgets.flatMap(({ properties }) => properties.metrics ?? []);
    const metrics = rows.filter(([first]) => typeof first === 'string').map(metricOfRow);

    expect(metrics.length).toBeGreaterThan(40);
    expect(metrics.flatMap((metric) => metricTrouble(template, metric))).toEqual([]);
  });

  it('finds by search what has values that nobody can list beforehand', () => {
    const rows = widgets.flatMap(({ properties }) => properties.metrics ?? []);
    const expressions = rows.flatMap(([first]) =>
      typeof first === 'object' ? [first.expression] : [],
    );
    const common = 'PetStore,service,stage,operation';

    expect(expressions).toEqual([
      `SEARCH('{${common},apiKeyId} MetricName="DeprecatedRequests" stage="${stage.name}"', 'Sum', 300)`,
      `SEARCH('{${common},code} MetricName="Errors" stage="${stage.name}"', 'Sum', 300)`,
      `SEARCH('{${common},version} MetricName="ServerErrors" stage="${stage.name}"', 'Sum', 300)`,
    ]);
  });
});

type Widget = { type: string; properties: { markdown?: string; metrics?: MetricRow[] } };

/** `[namespace, name, dimension, value, …, options]`, or an expression. */
type MetricRow = (string | { expression?: string })[];

function metricOfRow([namespace, name, ...rest]: MetricRow): NamedMetric {
  const texts = rest.filter((each) => typeof each === 'string');
  const pairs = texts.flatMap((text, index) => (index % 2 ? [[texts[index - 1], text]] : []));
  return {
    namespace: String(namespace),
    name: String(name),
    dimensions: Object.fromEntries(pairs),
  };
}

/** All metrics of an alarm, also those that its expression is made of. */
function metricsOf({ Metrics, Namespace, MetricName, Dimensions }: Properties): NamedMetric[] {
  const inExpression = ((Metrics ?? []) as { MetricStat?: { Metric: Properties } }[]).flatMap(
    ({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []),
  );
  const all = MetricName ? [{ Namespace, MetricName, Dimensions }] : inExpression;
  return all.map((each) => ({
    namespace: String(each.Namespace),
    name: String(each.MetricName),
    dimensions: Object.fromEntries(
      (each.Dimensions as { Name: string; Value: unknown }[]).map(({ Name, Value }) => [
        Name,
        textOf(Value),
      ]),
    ),
  }));
}

/** `[name, condition, time, expression]` */
function summary(alarm: Properties, prefix: string): string[] {
  const metrics = (alarm.Metrics ?? []) as { Expression?: string; MetricStat?: Properties }[];
  const period = alarm.Period ?? metrics.find(({ MetricStat }) => MetricStat)?.MetricStat?.Period;
  const { DatapointsToAlarm: breaching, EvaluationPeriods: periods } = alarm;
  expect(alarm.ComparisonOperator).toBe('GreaterThanOrEqualToThreshold');
  return [
    textOf(alarm.AlarmName).replace(prefix, ''),
    `>= ${alarm.Threshold}`,
    `${breaching === periods ? '' : `${breaching} of `}${periods} × ${period} s`,
    ...metrics.flatMap(({ Expression }) => Expression ?? []),
  ];
}
