import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { chosenStages } from '../../infra/app.ts';
import { sandboxStage, stages } from '../../infra/stages.ts';
import { bareStage, stagesWithEverything } from '../helpers/bareStage.ts';
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

const everythingApp = synthesise(stagesWithEverything);

describe('cdk.json', () => {
  it('runs a script of npm, which chooses the Node.js of the project, because a global cdk may run on an older one', () => {
    const { app } = JSON.parse(readFileSync('cdk.json', 'utf8'));

    expect(app).toBe('npm run --silent app');
  });
});

describe('app', () => {
  it('has all stages, or only the sandbox that the context names', () => {
    const sandbox = new App({ context: { stage: 'v1-alice' } });

    expect(chosenStages(new App())).toEqual(stages);
    expect(chosenStages(sandbox).map(({ name }) => name)).toEqual(['v1-alice']);
  });

  it('fails with one line, without a stack trace, if the context names no sandbox', () => {
    const env = { ...process.env, CDK_CONTEXT_JSON: '{"stage":""}' };
    const { status, stderr } = spawnSync(process.execPath, ['infra/app.ts'], { env });

    expect(status).toBe(1);
    expect(String(stderr)).toMatch(/^"" cannot name a stage\. .+\n$/);
  });
});

describe('addStacks', () => {
  it('adds protected stacks for the durable stage and the pipelines, each in its account', () => {
    const added = stacksOf(everythingApp).map(({ stackName, account, terminationProtection }) => [
      stackName,
      account,
      terminationProtection,
    ]);

    expect(added.sort()).toEqual([
      ['PetStore-pipeline', '111122223333', true],
      ['PetStore-pipeline', '444455556666', true],
      ['PetStore-v1-production', '111122223333', true],
      ['PetStore-v1-staging', '444455556666', false],
    ]);
  });

  it('refuses settings that no deployment may have', () => {
    expect(() => synthesise([{ ...bareStage('v1-staging'), idsPerLease: 0 }])).toThrow(
      'infra/stages.ts has settings',
    );
  });

  // `npm run synth` proves the same of the settings of this repository.
  it.each([
    ['every optional setting', everythingApp],
    ['a sandbox', synthesise([sandboxStage('v1-alice')])],
  ])('leaves no finding of cdk-nag unacknowledged with %s', (_, app) => {
    expect(findings(app)).toEqual([]);
  });
});
