import { describe, expect, it } from 'vitest';
import {
  functionNames as names,
  type Properties,
  propertiesOf,
  resourcesOf,
  shortId,
  synthesise,
  templateOf,
  templates,
  textOf,
} from '../../helpers/templates.ts';

/** The functions in the order of their releases: readers before writers. */
const releaseOrder = ['listPets', 'getPet', 'fallback', 'createPet'];

describe.each(templates)('Releases of $stage.name', ({ stage, template }) => {
  it('let CodeDeploy move each alias to the newest version after its hook has verified it', () => {
    const aliases = resourcesOf(template, 'AWS::Lambda::Alias');

    expect(aliases.map(([id]) => shortId(id))).toEqual(names.map((name) => `${name}Alias`));
    for (const [index, [, { Properties, UpdatePolicy, DependsOn }]] of aliases.entries()) {
      const name = names[index];
      expect(Properties.Name).toBe('live');
      expect(textOf(Properties.FunctionVersion)).toBe(`<${name}FunctionCurrentVersion.Version>`);
      const update = (UpdatePolicy as Properties).CodeDeployLambdaAliasUpdate as Properties;
      expect(Object.entries(update).map(([key, value]) => [key, textOf(value)])).toEqual([
        ['ApplicationName', '<ReleasesApplication>'],
        ['DeploymentGroupName', `<Releases${name}>`],
        ['BeforeAllowTrafficHook', `<Releases${name}HookFunction>`],
      ]);
      // CodeDeploy needs its permissions before it can move an alias.
      expect((DependsOn as string[]).map(shortId)).toContain('ReleasesRoleDefaultPolicy');
    }
  });

  it('shift one alias after the other, readers before writers, so no two deployments conflict', () => {
    const aliases = resourcesOf(template, 'AWS::Lambda::Alias');
    const aliasesBefore = aliases.map(([id, { DependsOn }]) => [
      shortId(id),
      (DependsOn as string[]).map(shortId).filter((each) => each.endsWith('Alias')),
    ]);

    expect(Object.fromEntries(aliasesBefore)).toEqual(
      Object.fromEntries(
        releaseOrder.map((name, index) => [
          `${name}Alias`,
          releaseOrder
            .slice(0, index)
            .map((each) => `${each}Alias`)
            .slice(-1),
        ]),
      ),
    );
  });

  it('roll back if the new version fails, or the deployment fails or is stopped', () => {
    const groups = propertiesOf(template, 'AWS::CodeDeploy::DeploymentGroup');

    expect(groups).toHaveLength(names.length);
    for (const [index, name] of names.entries()) {
      const { AlarmConfiguration, AutoRollbackConfiguration } = groups[index] ?? {};
      const { Alarms, ...others } = AlarmConfiguration as { Alarms: Properties[] };
      expect(others).toEqual({ Enabled: true });
      expect(Alarms.map(({ Name }) => textOf(Name))).toEqual([
        `<Releases${name}NewVersionCrashes>`,
        `<Releases${name}NewVersionErrors>`,
      ]);
      expect(AutoRollbackConfiguration).toEqual({
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      });
    }
  });

  it('tell each hook the version to verify, and give it time for its requests', () => {
    const hooks = resourcesOf(template, 'AWS::Lambda::Function').filter(([id]) =>
      id.startsWith('Releases'),
    );

    expect(hooks).toHaveLength(names.length);
    for (const [index, name] of names.entries()) {
      const { Environment, Timeout } = hooks[index]?.[1].Properties ?? {};
      const { VERSION_ARN, STAGE } = (Environment as { Variables: Properties }).Variables;
      expect(textOf(VERSION_ARN)).toBe(`<${name}FunctionCurrentVersion>`);
      expect(STAGE).toBe(stage.name);
      expect(Timeout).toBe(60);
    }
  });

  it('keep previous versions for a rollback, except the version of a failed deployment', () => {
    const versions = resourcesOf(template, 'AWS::Lambda::Version');

    expect(versions).toHaveLength(names.length);
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

describe('Releases', () => {
  // With the fault, production has no stack to synthesise.
  const staging = (without: string) =>
    templateOf(synthesise({ fault: 'on', without }), 'PetStore-v1-staging');

  it('use a canary for the rollback drill, and rely only on the hook without alarms', () => {
    const template = staging('alarms');

    template.resourceCountIs('AWS::CloudWatch::Alarm', 0);
    const groups = propertiesOf(template, 'AWS::CodeDeploy::DeploymentGroup');
    expect(groups).toHaveLength(names.length);
    for (const group of groups) {
      expect(group.DeploymentConfigName).toBe('CodeDeployDefault.LambdaCanary10Percent5Minutes');
      expect(group.AutoRollbackConfiguration).toEqual({
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST'],
      });
    }
  });

  it('move each alias at once without CodeDeploy, if the context leaves it out', () => {
    const template = staging('codeDeploy');
    const aliases = resourcesOf(template, 'AWS::Lambda::Alias');

    expect(aliases).toHaveLength(names.length);
    for (const [, alias] of aliases) expect(alias).not.toHaveProperty('UpdatePolicy');
    expect(JSON.stringify(template.toJSON())).not.toMatch(/codedeploy|VERSION_ARN|NewVersion/i);
  });
});
