import { describe, expect, it } from 'vitest';
import { operationEntries } from '../../lib/operations.ts';
import {
  functionNames,
  type Properties,
  permissionsOf,
  propertiesOf,
  production as template,
  textOf,
} from '../helpers/templates.ts';

const operationNames = operationEntries.map(([name]) => name);

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
      .filter((each) => each.includes('<ApiKeys.'));

    expect([...new Set(onKeys)]).toEqual(['dynamodb:GetItem <ApiKeys.Arn>']);
  });

  it('of releases, heartbeat and notices do only their part', () => {
    const hooks = operationNames.flatMap((name) => [
      `codedeploy:PutLifecycleEventHookExecutionStatus arn:<AWS::Partition>:codedeploy:<AWS::Region>:<AWS::AccountId>:deploymentgroup:<ReleasesApplication>/<Releases${name}>`,
      // The versions `:7`, and the alias `:live`.
      `lambda:InvokeFunction <${name}Function.Arn>:*`,
    ]);
    const aliasActions = ['GetAlias', 'GetProvisionedConcurrencyConfig', 'UpdateAlias'];
    const codeDeploy = operationNames.flatMap((name) => [
      ...aliasActions.map((action) => `lambda:${action} <${name}Function.Arn>`),
      ...aliasActions.map((action) => `lambda:${action} <${name}Function.Arn>:*`),
      `lambda:InvokeFunction <Releases${name}HookFunction.Arn>`,
    ]);
    const others = Object.entries(granted).filter(
      ([role]) => !functionNames.some((name) => role === `${name}Role`),
    );

    expect(Object.fromEntries(others)).toEqual({
      ReleasesHookRole: [...hooks, ...writeLog('ReleasesHook')].sort(),
      ReleasesRole: ['cloudwatch:DescribeAlarms *', ...codeDeploy].sort(),
      HeartbeatRole: writeLog('Heartbeat'),
      ReleaseFailuresEventsRole: ['sns:Publish <AlarmTopic>'],
      StuckRollbackEventsRole: ['sns:Publish <AlarmTopic>'],
    });
    for (const role of propertiesOf(template, 'AWS::IAM::Role')) {
      expect(role).not.toHaveProperty('Policies');
    }
  });
});

describe('the functions', () => {
  it('write the log that their role allows', () => {
    for (const { Role, LoggingConfig } of propertiesOf(template, 'AWS::Lambda::Function')) {
      const [, role = ''] = /^<(.+)\.Arn>$/.exec(textOf(Role)) ?? [];
      const [, log = ''] = /^<(.+)>$/.exec(textOf((LoggingConfig as Properties).LogGroup)) ?? [];
      expect(granted[role]).toContain(`logs:PutLogEvents <${log}.Arn>`);
    }
  });

  it('are invoked by this API and the schedule of the heartbeat only', () => {
    const sources = propertiesOf(template, 'AWS::Lambda::Permission').map(({ SourceArn }) =>
      textOf(SourceArn).split(':').at(-1),
    );
    expect([...new Set(sources)].sort()).toEqual(['<Api>/*/*/*', '<HeartbeatSchedule.Arn>']);
  });
});
