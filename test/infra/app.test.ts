import { App, Stack } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { chosenStages } from '../../infra/app.ts';
import { stackName, tablesStackName } from '../../infra/core/stackNames.ts';
import { SettingsError } from '../../infra/stageSchema.ts';
import { sandboxStage, stages } from '../../infra/stages.ts';
import { bareStage, durableName, otherName } from '../helpers/bareStage.ts';
import { fullStacks } from '../helpers/fullStacks.ts';
import { synthesise } from '../helpers/templates.ts';

const stacksOf = (app: App) => app.node.children.filter((child) => Stack.isStack(child));

/** `rule: path of the resource` for each finding of cdk-nag that is not acknowledged. */
function findings(app: App): string[] {
  return stacksOf(app).flatMap((stack) =>
    new AwsSolutionsChecks()
      .validateScope(stack)
      .violations.flatMap(({ ruleName, violatingResources }) =>
        violatingResources.map(({ constructPath }) => `${ruleName}: ${constructPath}`),
      ),
  );
}

describe('chosenStages', () => {
  it('are all stages, or only the sandbox that the context names', () => {
    const sandbox = new App({ context: { stage: 'v1-alice' } });

    expect(chosenStages(new App())).toEqual(stages);
    expect(chosenStages(sandbox).map(({ name }) => name)).toEqual(['v1-alice']);
    // Such an error is printed without its stack.
    expect(() => chosenStages(new App({ context: { stage: '' } }))).toThrow(SettingsError);
  });
});

describe('addStacks', () => {
  it('adds protected stacks for the durable stage and the pipelines, each in its account', () => {
    const added = stacksOf(fullStacks).map(({ stackName, account, terminationProtection }) => [
      stackName,
      account,
      terminationProtection,
    ]);

    expect(added.sort()).toEqual([
      ['PetStore-pipeline', '111122223333', true],
      ['PetStore-pipeline', '444455556666', true],
      [stackName(durableName), '111122223333', true],
      [tablesStackName(durableName), '111122223333', true],
      [stackName(otherName), '444455556666', false],
      [tablesStackName(otherName), '444455556666', false],
    ]);
  });

  it('lets the service of a stage wait for its tables', () => {
    const app = synthesise([bareStage(otherName)]);
    const service = app.node.findChild(stackName(otherName)) as Stack;

    expect(service.dependencies.map(({ node }) => node.id)).toEqual([tablesStackName(otherName)]);
  });

  it('warns of a durable stage without its account or Region, because a command could make a second one', () => {
    const account = { id: '111122223333', region: 'eu-west-1' };
    const bare = bareStage(durableName);
    const app = synthesise([
      bareStage(otherName),
      { ...bare, name: 'v1-complete', account },
      { ...bare, name: 'v1-no-account', account: { region: account.region } },
      { ...bare, name: 'v1-no-region', account: { id: account.id } },
    ]);

    const warnings = stacksOf(app)
      .flatMap(({ node }) => node.metadata)
      .filter(({ type }) => type === 'aws:cdk:warning')
      .map(({ data }) => data);

    expect(warnings).toEqual([
      expect.stringContaining('empty v1-no-account. In infra/stages.ts, set its account to {'),
      expect.stringContaining('empty v1-no-region. In infra/stages.ts, set its account to {'),
    ]);
  });

  it('refuses settings that no deployment may have', () => {
    const wrong = { ...bareStage(otherName), idsPerLease: 0 };

    expect(() => synthesise([wrong])).toThrow(SettingsError);
  });

  // `npx cdk synth` shows the same for the settings of this repository.
  it.each([
    ['every optional setting', fullStacks],
    ['a sandbox', synthesise([sandboxStage('v1-alice')])],
  ])('leaves no finding of cdk-nag unacknowledged with %s', (_, app) => {
    expect(findings(app)).toEqual([]);
  });
});
