import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it, vi } from 'vitest';
import { stackName } from '../../../infra/core/stackNames.ts';
import { operationEntries } from '../../../lib/operations.ts';
import { tableName } from '../../../lib/tables.ts';
import { bareStage, durableName } from '../../helpers/bareStage.ts';
import {
  functionNames,
  permissionsOf,
  propertiesOf,
  resourcesOf,
  synthesise,
  production as template,
  templateOf,
} from '../../helpers/templates.ts';

/** `action resource` for all that each role may do. */
const granted: Record<string, string[]> = {};
for (const { role, action, resource } of permissionsOf(template)) {
  granted[role] = [...(granted[role] ?? []), `${action} ${resource}`].sort();
}

const writeLog = (id: string) => [
  `logs:CreateLogStream <${id}Log.Arn>`,
  `logs:PutLogEvents <${id}Log.Arn>`,
];

describe('the roles', () => {
  it('of functions behind the API use the tables, write their own log, and nothing else', () => {
    for (const name of functionNames) {
      const others = granted[`${name}Role`]?.filter((each) => !each.startsWith('dynamodb:'));
      // `permissions.test.ts` shows that a function needs each of its permissions on tables.
      expect(others).toEqual(writeLog(name));
    }
  });

  it('read API keys, and change none', () => {
    const onKeys = Object.values(granted)
      .flat()
      .filter((each) => each.includes(tableName(durableName, 'apiKeys')));

    expect([...new Set(onKeys)]).toEqual([
      `dynamodb:GetItem table/${tableName(durableName, 'apiKeys')}`,
    ]);
  });

  it('of functions have only inline policies, because a version keeps its role and not a policy', () => {
    expect(propertiesOf(template, 'AWS::IAM::Policy')).toEqual([]);
  });

  it.each(operationEntries)(
    'of %s is another one with another version after a change of permissions, and both stay',
    (name, row) => {
      const before = rolesAndVersions(template);
      vi.spyOn(row, 'access', 'get').mockReturnValue([]);

      const app = synthesise([bareStage(durableName)]);
      const after = rolesAndVersions(templateOf(app, stackName(durableName)));

      const idsAfter = after.map(([id]) => id);
      const replaced = before.filter(([id]) => !idsAfter.includes(id));
      expect(after).toHaveLength(before.length);
      expect(replaced.map(([, { Type }]) => Type)).toEqual([
        'AWS::IAM::Role',
        'AWS::Lambda::Version',
      ]);
      for (const [id, { DeletionPolicy, UpdateReplacePolicy }] of replaced) {
        expect(id).toMatch(RegExp(`^${name}`));
        expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(['RetainExceptOnCreate', 'Retain']);
      }
    },
  );
});

const rolesAndVersions = (template: Template) =>
  ['AWS::IAM::Role', 'AWS::Lambda::Version'].flatMap((type) => resourcesOf(template, type));

describe('the functions', () => {
  it('write the log that their role allows', () => {
    for (const { Role, LoggingConfig } of propertiesOf(template, 'AWS::Lambda::Function')) {
      const [, role = ''] = /^<(.+Role)[\da-f]{8}\.Arn>$/.exec(Role) ?? [];
      const [, log = ''] = /^<(.+)>$/.exec(LoggingConfig.LogGroup) ?? [];
      expect(granted[role]).toContain(`logs:PutLogEvents <${log}.Arn>`);
    }
  });

  it('log at the level INFO, below which Lambda would drop the lines with their metrics', () => {
    const levels = propertiesOf(template, 'AWS::Lambda::Function').map(
      ({ LoggingConfig }) => `${LoggingConfig.LogFormat} ${LoggingConfig.ApplicationLogLevel}`,
    );

    expect([...new Set(levels)]).toEqual(['JSON INFO']);
  });

  it('are invoked by this API and the schedule of the heartbeat only', () => {
    const sources = propertiesOf(template, 'AWS::Lambda::Permission').map(({ SourceArn }) =>
      SourceArn.split(':').at(-1),
    );
    expect([...new Set(sources)].sort()).toEqual([
      '<Api>/*/*/*',
      '<MonitoringHeartbeatSchedule.Arn>',
    ]);
  });
});
