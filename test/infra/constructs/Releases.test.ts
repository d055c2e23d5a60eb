import { describe, expect, it } from 'vitest';
import { operationEntries } from '../../../lib/operations.ts';
import { evaluateMetricMath } from '../../helpers/evaluateMetricMath.ts';
import {
  type Properties,
  production,
  propertiesOf,
  resourcesOf,
  shortId,
  templates,
  textOf,
} from '../../helpers/templates.ts';

const names = operationEntries.map(([name]) => name);

describe.each(templates)('Releases of $stage.name', ({ stage, template }) => {
  const aliases = resourcesOf(template, 'AWS::Lambda::Alias');
  const aliasOf = (name: string) =>
    aliases.find(([id]) => shortId(id) === `${name}Alias`)?.[1] ?? expect.fail(name);

  it.each(names)('move the alias of %s with CodeDeploy after its hook has verified it', (name) => {
    const { Properties, UpdatePolicy, DependsOn } = aliasOf(name);
    const update = (UpdatePolicy as Properties).CodeDeployLambdaAliasUpdate as Properties;

    expect(Properties.Name).toBe('live');
    expect(textOf(Properties.FunctionVersion)).toBe(`<${name}FunctionCurrentVersion.Version>`);
    expect(Object.entries(update).map(([key, value]) => [key, textOf(value)])).toEqual([
      ['ApplicationName', '<ReleasesApplication>'],
      ['DeploymentGroupName', `<Releases${name}>`],
      ['BeforeAllowTrafficHook', `<Releases${name}HookFunction>`],
    ]);
    // CodeDeploy needs its permissions before it can move an alias.
    expect((DependsOn as string[]).map(shortId)).toContain('ReleasesRoleDefaultPolicy');
  });

  it('move the alias of the fallback at once', () => {
    expect(aliasOf('fallback')).not.toHaveProperty('UpdatePolicy');
    expect(JSON.stringify(template.toJSON())).not.toContain('ReleasesfallbackHook');
  });

  it('shift one alias after the other, readers before writers, so no two deployments conflict', () => {
    const order: string[] = [];
    const aliasBefore = (name: string) =>
      (aliasOf(name).DependsOn as string[])
        .map(shortId)
        .filter((each) => each.endsWith('Alias'))
        .map((each) => each.replace('Alias', ''));
    for (let next = names.find((name) => aliasBefore(name).length === 0); next; ) {
      order.push(next);
      next = names.find((name) => String(aliasBefore(name)) === String(order.slice(-1)));
    }

    const isWriter = (name: string) =>
      operationEntries.some(([each, { method }]) => each === name && method !== 'GET');
    expect(order.toSorted()).toEqual(names.toSorted());
    expect(order.map(isWriter)).toEqual(order.map(isWriter).toSorted());
  });

  it('roll back if the deployment fails or is stopped, and in a canary if the new version fails', () => {
    const groups = propertiesOf(template, 'AWS::CodeDeploy::DeploymentGroup');
    const isCanary = stage.trafficShift === 'canary';

    expect(groups).toHaveLength(names.length);
    for (const { AlarmConfiguration, AutoRollbackConfiguration, DeploymentConfigName } of groups) {
      const { Alarms = [], Enabled } = AlarmConfiguration as Properties;
      expect([Enabled, (Alarms as unknown[]).length]).toEqual(isCanary ? [true, 1] : [false, 0]);
      expect(AutoRollbackConfiguration).toEqual({
        Enabled: true,
        Events: [
          'DEPLOYMENT_FAILURE',
          'DEPLOYMENT_STOP_ON_REQUEST',
          ...(isCanary ? ['DEPLOYMENT_STOP_ON_ALARM'] : []),
        ],
      });
      expect(DeploymentConfigName).toBe(
        isCanary
          ? 'CodeDeployDefault.LambdaCanary10Percent5Minutes'
          : 'CodeDeployDefault.LambdaAllAtOnce',
      );
    }
  });

  it.each(names)('tell the hook of %s the version to verify, and give it time', (name) => {
    const hooks = resourcesOf(template, 'AWS::Lambda::Function');
    const [, hook] = hooks.find(([id]) => shortId(id) === `Releases${name}HookFunction`) ?? [];
    const { Environment, Timeout } = hook?.Properties ?? {};
    const { VERSION_ARN, STAGE } = (Environment as { Variables: Properties }).Variables;

    expect(textOf(VERSION_ARN)).toBe(`<${name}FunctionCurrentVersion>`);
    expect([STAGE, Timeout]).toEqual([stage.name, 60]);
  });

  it('keep previous versions for a rollback, except the version of a failed deployment', () => {
    const versions = resourcesOf(template, 'AWS::Lambda::Version');

    expect(versions).toHaveLength(names.length + 1);
    for (const [, version] of versions) {
      expect(version).toMatchObject({
        // The previous version keeps its patch of Node.js, and returns with it.
        Properties: { RuntimePolicy: { UpdateRuntimeOn: 'FunctionUpdate' } },
        DeletionPolicy: 'RetainExceptOnCreate',
        UpdateReplacePolicy: 'Retain',
      });
    }
  });
});

describe('the alarm of a version', () => {
  const alarms = propertiesOf(production, 'AWS::CloudWatch::Alarm').filter(({ AlarmName }) =>
    textOf(AlarmName).includes('NewVersionFails'),
  );

  /** Whether the alarm goes off, given the sums of a new version over five minutes. */
  const goesOff = (sums: { crashes?: number; errors?: number; requests?: number }) => {
    const [{ Metrics, Threshold, EvaluationPeriods } = {}] = alarms;
    const [{ Expression }] = Metrics as [{ Expression: string }];
    const value = evaluateMetricMath(Expression, sums);
    expect(EvaluationPeriods).toBe(1);
    return value !== undefined && value >= Number(Threshold);
  };

  it('exists for each operation, by the version that it watches', () => {
    expect(alarms.map(({ AlarmName }) => textOf(AlarmName)).sort()).toEqual(
      names
        .map(
          (name) =>
            `PetStore-v1-production-${name}-NewVersionFails-<${name}FunctionCurrentVersion.Version>`,
        )
        .sort(),
    );
  });

  it('goes off for a bad version: its requests fail or crash', () => {
    expect(goesOff({ errors: 3000, requests: 3000 })).toBe(true);
    expect(goesOff({ crashes: 3, requests: 60 })).toBe(true);
    expect(goesOff({ crashes: 2, errors: 1, requests: 300 })).toBe(true);
  });

  it('stays quiet with background noise: 0.1 % of 100 requests a second, a tenth of them in a canary', () => {
    expect(goesOff({ errors: 3, requests: 3000 })).toBe(false);
    expect(goesOff({ errors: 27, requests: 27_000 })).toBe(false);
    expect(goesOff({ errors: 2, requests: 20 })).toBe(false);
  });

  it('stays quiet in a brownout: a 503 of the database is no failure of a version', () => {
    // The functions leave 503 out of the metric: see the test of its log line.
    expect(goesOff({ requests: 3000 })).toBe(false);
  });

  it('has no data outside a canary, so it is quiet while the next version is released', () => {
    expect(goesOff({ errors: 100 })).toBe(false);
    for (const { TreatMissingData } of alarms) expect(TreatMissingData).toBe('notBreaching');
  });
});
