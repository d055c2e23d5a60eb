import { describe, expect, it } from 'vitest';
import {
  functionNames,
  permissionsOf,
  propertiesOf,
  production as template,
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
      .filter((each) => each.includes('<ApiKeys.'));

    expect([...new Set(onKeys)]).toEqual(['dynamodb:GetItem <ApiKeys.Arn>']);
  });

  it('have no policy of their own, which the other tests would not see', () => {
    for (const role of propertiesOf(template, 'AWS::IAM::Role')) {
      expect(role).not.toHaveProperty('Policies');
    }
  });
});

describe('the functions', () => {
  it('write the log that their role allows', () => {
    for (const { Role, LoggingConfig } of propertiesOf(template, 'AWS::Lambda::Function')) {
      const [, role = ''] = /^<(.+)\.Arn>$/.exec(Role) ?? [];
      const [, log = ''] = /^<(.+)>$/.exec(LoggingConfig.LogGroup) ?? [];
      expect(granted[role]).toContain(`logs:PutLogEvents <${log}.Arn>`);
    }
  });

  it('are invoked by this API and the schedule of the heartbeat only', () => {
    const sources = propertiesOf(template, 'AWS::Lambda::Permission').map(({ SourceArn }) =>
      SourceArn.split(':').at(-1),
    );
    expect([...new Set(sources)].sort()).toEqual(['<Api>/*/*/*', '<HeartbeatSchedule.Arn>']);
  });
});
