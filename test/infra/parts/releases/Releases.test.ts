import { describe, expect, it } from 'vitest';
import { stackName } from '../../../../infra/core/stackNames.ts';
import { operationEntries } from '../../../../lib/operations.ts';
import { alarmsOf, goesOff } from '../../../helpers/alarms.ts';
import { bareStage, durableName } from '../../../helpers/bareStage.ts';
import {
  permissionsOf,
  resourcesOf,
  shortId,
  synthesise,
  production as template,
  templateOf,
} from '../../../helpers/templates.ts';

const names = operationEntries.map(([name]) => name);

const resourceOf = (type: string, id: string) =>
  resourcesOf(template, type).find(([each]) => shortId(each) === id)?.[1] ?? expect.fail(id);

describe('Releases', () => {
  it.each(names)('move the alias of %s after the hook has verified the new version', (name) => {
    const alias = resourceOf('AWS::Lambda::Alias', `${name}Alias`);
    const { BeforeAllowTrafficHook } = alias.UpdatePolicy.CodeDeployLambdaAliasUpdate;

    expect(alias.Properties.FunctionVersion).toBe(`<${name}FunctionCurrentVersion.Version>`);
    expect(BeforeAllowTrafficHook).toBe('<ReleasesHookFunction>');
  });

  it('have the hook and its permissions in place before the first alias moves', () => {
    const needed = ['ReleasesHookFunction', 'ReleasesHookRoleDefaultPolicy'];

    // Every later alias waits for another.
    const first = resourcesOf(template, 'AWS::Lambda::Alias')
      .map(([, { DependsOn }]) => DependsOn.map(shortId))
      .find((ids) => !ids.some((id: string) => id.endsWith('Alias')));
    expect(first).toEqual(expect.arrayContaining(needed));
  });

  it('are skipped by a direct release, which leaves everything else as it is', () => {
    const app = synthesise([bareStage(durableName)], undefined, undefined, { direct: 'true' });
    const direct = templateOf(app, stackName(durableName)).toJSON();
    const { Resources } = structuredClone(template.toJSON());
    for (const each of Object.values<{ UpdatePolicy?: unknown }>(Resources)) {
      delete each.UpdatePolicy;
    }

    expect(JSON.stringify(direct)).not.toContain('UpdatePolicy');
    expect(direct.Resources).toEqual(Resources);
  });

  it('let the hook read deployments, invoke the versions and report, and do nothing else', () => {
    const codeDeploy = 'arn:<AWS::Partition>:codedeploy:<AWS::Region>:<AWS::AccountId>';
    const groups = names.map(
      (name) => `${codeDeploy}:deploymentgroup:<ReleasesApplication>/<Releases${name}>`,
    );

    const granted = permissionsOf(template)
      .filter(({ role }) => role === 'ReleasesHookRole')
      .map(({ action, resource }) => `${action} ${resource}`);

    expect(granted.toSorted()).toEqual(
      [
        `codedeploy:GetApplicationRevision ${codeDeploy}:application:<ReleasesApplication>`,
        ...groups.map((group) => `codedeploy:GetDeployment ${group}`),
        ...groups.map((group) => `codedeploy:PutLifecycleEventHookExecutionStatus ${group}`),
        ...names.map((name) => `lambda:InvokeFunction <${name}Function.Arn>:*`),
        'logs:CreateLogStream <ReleasesHookLog.Arn>',
        'logs:PutLogEvents <ReleasesHookLog.Arn>',
      ].toSorted(),
    );
  });
});

describe('the alarm of a version', () => {
  const alarm = alarmsOf(template).find(({ name }) => name.includes('NewVersionFails'));
  /** Whether it goes off, given the sums of a new version over five minutes. */
  const rollsBack = (sums: { crashes?: number; errors?: number; requests?: number }) =>
    goesOff(alarm ?? expect.fail(), sums);

  it('goes off for a bad version: its requests fail or crash', () => {
    expect(rollsBack({ errors: 3000, requests: 3000 })).toBe(true);
    expect(rollsBack({ crashes: 3, requests: 60 })).toBe(true);
    expect(rollsBack({ crashes: 2, errors: 1, requests: 300 })).toBe(true);
  });

  it('stays quiet with background noise: 0.1 % of 100 requests a second, a tenth of them in a canary', () => {
    expect(rollsBack({ errors: 3, requests: 3000 })).toBe(false);
    expect(rollsBack({ errors: 27, requests: 27_000 })).toBe(false);
    expect(rollsBack({ errors: 2, requests: 20 })).toBe(false);
  });

  it('stays quiet while nothing fails, and outside a canary, where Lambda counts no requests', () => {
    expect(rollsBack({ requests: 3000 })).toBe(false);
    expect(rollsBack({ errors: 100 })).toBe(false);
  });
});
