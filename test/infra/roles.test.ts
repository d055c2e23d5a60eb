import { isDeepStrictEqual } from 'node:util';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { operationEntries } from '../../lib/operations.ts';
import {
  functionNames,
  type Properties,
  propertiesOf,
  resourcesOf,
  templates,
  textOf,
} from '../helpers/templates.ts';

const operationNames = operationEntries.map(([name]) => name);

describe.each(templates)('the roles of $stage.name', ({ template }) => {
  const granted = permissionsByRole(template);

  it.each(operationEntries)('let %s do what its row says, and nothing else', (name, { access }) => {
    const allowed = access.map((each) => {
      const table = { pets: '<Pets.Arn>', idempotency: '<Idempotency.Arn>' }[each.table];
      const index = 'index' in each ? `/index/${each.index}` : '';
      const keys = 'partitionKey' in each ? ` if the key is like ${each.partitionKey}` : '';
      return `dynamodb:${each.action} ${table}${index}${keys}`;
    });

    expect(granted[`${name}Role`]).toEqual([...basics(name), ...allowed].sort());
  });

  it('let the fallback read API keys, and nothing else', () => {
    expect(granted.fallbackRole).toEqual(basics('fallback').sort());
  });

  it.each(operationNames)('let the release hook of %s invoke its versions, and report', (name) => {
    const group = `deploymentgroup:<ReleasesApplication>/<Releases${name}>`;

    expect(granted[`Releases${name}HookRole`]).toEqual([
      `codedeploy:PutLifecycleEventHookExecutionStatus arn:<AWS::Partition>:codedeploy:<AWS::Region>:<AWS::AccountId>:${group}`,
      `lambda:InvokeFunction <${name}Function.Arn>:*`,
      ...writeLog(`Releases${name}Hook`),
    ]);
  });

  it('let CodeDeploy move the aliases, invoke the hooks and read alarms', () => {
    const perOperation = operationNames.flatMap((name) => [
      ...['', ':*'].flatMap((versions) =>
        ['GetAlias', 'GetProvisionedConcurrencyConfig', 'UpdateAlias'].map(
          (action) => `lambda:${action} <${name}Function.Arn>${versions}`,
        ),
      ),
      `lambda:InvokeFunction <Releases${name}HookFunction.Arn>`,
    ]);

    expect(granted.ReleasesRole).toEqual(['cloudwatch:DescribeAlarms *', ...perOperation].sort());
  });

  it('are these and no others, without managed or inline policies', () => {
    const hooks = operationNames.map((name) => `Releases${name}HookRole`);
    const others = Object.keys(granted).filter((name) => /^(Heartbeat|.+Events)Role$/.test(name));

    expect(Object.keys(granted).sort()).toEqual(
      [...functionNames.map((name) => `${name}Role`), ...hooks, ...others, 'ReleasesRole'].sort(),
    );
    for (const name of others) {
      const allowed =
        name === 'HeartbeatRole' ? writeLog('Heartbeat') : ['sns:Publish <AlarmTopic>'];
      expect(granted[name]).toEqual(allowed);
    }
    for (const [id, { Properties: role }] of resourcesOf(template, 'AWS::IAM::Role')) {
      expect(role).not.toHaveProperty('Policies');
      // API Gateway accepts only a role with AWS's policy.
      if (id.startsWith('ApiCloudWatchRole')) continue;
      expect(role).not.toHaveProperty('ManagedPolicyArns');
    }
  });
});

describe('operations', () => {
  it.each(operationEntries.filter(([, { method }]) => method === 'GET'))(
    'only read when their method is GET: %s',
    (_, { access }) => {
      const reads = ['GetItem', 'Query'];
      expect(access.filter(({ action }) => !reads.includes(action))).toEqual([]);
    },
  );
});

const writeLog = (id: string) => [
  `logs:CreateLogStream <${id}Log.Arn>`,
  `logs:PutLogEvents <${id}Log.Arn>`,
];

const basics = (name: string) => [...writeLog(name), 'dynamodb:GetItem <ApiKeys.Arn>'];

/** `action resource` or `action resource if the key is like …`, for all that each role may do. */
function permissionsByRole(template: Template): Record<string, string[]> {
  const policies = propertiesOf(template, 'AWS::IAM::Policy').map(({ Roles, PolicyDocument }) => {
    const { Statement } = PolicyDocument as { Statement: Properties[] };
    const permissions = Statement.flatMap(({ Effect, Action, Resource, Condition }) =>
      [Action].flat().flatMap((action) =>
        [Resource].flat().map((resource) => {
          const text = `${action} ${textOf(resource)}${conditionText(Condition)}`;
          return Effect === 'Allow' ? text : `${Effect} ${text}`;
        }),
      ),
    );
    return [textOf((Roles as unknown[])[0]).slice(1, -1), permissions.sort()];
  });
  return Object.fromEntries(policies);
}

function conditionText(condition: unknown): string {
  if (condition === undefined) return '';
  const { 'ForAllValues:StringLike': like } = condition as Record<string, Properties>;
  const [key] = [like?.['dynamodb:LeadingKeys']].flat();
  // ForAllValues without the Null condition also matches a request without keys.
  const isComplete = isDeepStrictEqual(condition, {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [key] },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  });
  return ` if ${isComplete ? `the key is like ${key}` : JSON.stringify(condition)}`;
}
