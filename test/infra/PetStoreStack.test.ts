import { expect, it } from 'vitest';
import { stackName, tablesStackName } from '../../infra/core/stackNames.ts';
import { sandboxStage } from '../../infra/stages.ts';
import { bareStage, otherName } from '../helpers/bareStage.ts';
import { fullProductionStage } from '../helpers/fullStacks.ts';
import { shortId, synthesise, templateOf } from '../helpers/templates.ts';

type Resource = { Type: string; DeletionPolicy?: string; UpdateReplacePolicy?: string };

it.each([
  // It follows a stage with every optional setting, and must leave them out.
  ['a sandbox', sandboxStage('v1-alice', fullProductionStage), []],
  // The account has one role for the access logs of all its stages.
  ['a stage that is not durable', bareStage(otherName), ['ApiAccount', 'ApiCloudWatchRole']],
])('%s leaves nothing of its own behind when it is deleted', (_, stage, shared) => {
  const app = synthesise([stage]);
  const stacks = app.node.children.map(({ node }) => node.id);
  const resources = stacks.flatMap((name) =>
    Object.entries<Resource>(templateOf(app, name).toJSON().Resources),
  );
  const kept = resources.filter(
    ([, { Type, DeletionPolicy, UpdateReplacePolicy }]) =>
      // A deleted function takes its versions with it.
      Type !== 'AWS::Lambda::Version' &&
      [DeletionPolicy, UpdateReplacePolicy].some((policy) => policy && policy !== 'Delete'),
  );

  expect(kept.map(([id]) => shortId(id)).sort()).toEqual(shared);
  expect(JSON.stringify(resources)).not.toContain('"DeletionProtectionEnabled":true');
  expect(stacks.sort()).toEqual([stackName(stage.name), tablesStackName(stage.name)]);
});
