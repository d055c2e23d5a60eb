import { expect, it } from 'vitest';
import { sandboxStage } from '../../infra/stages.ts';
import { fullProductionStage } from '../helpers/fullStacks.ts';
import { synthesise, templateOf } from '../helpers/templates.ts';

type Resource = { Type: string; DeletionPolicy?: string; UpdateReplacePolicy?: string };

it('a sandbox leaves nothing behind when it is deleted', () => {
  // It follows a stage with every optional setting, and must leave them out.
  const app = synthesise([sandboxStage('v1-alice', fullProductionStage)]);
  const stacks = app.node.children.map(({ node }) => node.id);
  const resources = stacks.flatMap((name) =>
    Object.values<Resource>(templateOf(app, name).toJSON().Resources),
  );
  const kept = resources.filter(({ DeletionPolicy, UpdateReplacePolicy }) =>
    [DeletionPolicy, UpdateReplacePolicy].some((policy) => policy && policy !== 'Delete'),
  );

  // A deleted function takes its versions with it.
  expect([...new Set(kept.map(({ Type }) => Type))]).toEqual(['AWS::Lambda::Version']);
  expect(JSON.stringify(resources)).not.toContain('"DeletionProtectionEnabled":true');
  expect(stacks.sort()).toEqual(['PetStore-v1-alice', 'PetStore-v1-alice-tables']);
});
