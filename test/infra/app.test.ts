import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it, vi } from 'vitest';
import { chosenStages, readRelease } from '../../infra/app.ts';
import { stackName } from '../../infra/core/stackNames.ts';
import { SettingsError } from '../../infra/stageSchema.ts';
import { sandboxStage, stages } from '../../infra/stages.ts';
import { bareStage, durableName, otherName } from '../helpers/bareStage.ts';
import { fullStacks } from '../helpers/fullStacks.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';
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
      [stackName(otherName), '444455556666', false],
    ]);
  });

  it('refuses settings that no deployment may have', () => {
    const wrong = { ...bareStage(otherName), idsPerLease: 0 };

    expect(() => synthesise([wrong])).toThrow(SettingsError);
  });

  // `npm run synth` shows the same for the settings of this repository.
  it.each([
    ['every optional setting', fullStacks],
    ['a sandbox', synthesise([sandboxStage('v1-alice')])],
  ])('leaves no finding of cdk-nag unacknowledged with %s', (_, app) => {
    expect(findings(app)).toEqual([]);
  });
});

describe('readRelease', () => {
  const git = (folder: string, ...args: string[]) =>
    execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio: 'pipe' });

  /** Returns a repository whose second commit changes no function, with the first commit. */
  async function createRepository() {
    const folder = await temporaryFolder();
    git(folder, 'init', '--quiet');
    mkdirSync(join(folder, 'lib'));
    for (const file of ['lib/schemas.ts', 'README.md']) {
      writeFileSync(join(folder, file), '');
      git(folder, 'add', file);
      const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
      git(folder, ...author, 'commit', '--quiet', '--message', file);
    }
    return { folder, first: git(folder, 'rev-parse', 'HEAD^').trim() };
  }

  function read(folder: string) {
    const warning = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    return { release: readRelease(folder), warnings: warning.mock.calls.map(String) };
  }

  it('names the last commit that changed the functions, in a form that no setting of Git changes', async () => {
    const { folder, first } = await createRepository();
    git(folder, 'config', 'log.showSignature', 'true');
    git(folder, 'config', 'core.abbrev', '4');

    expect(read(folder)).toEqual({ release: first.slice(0, 12), warnings: [] });
  });

  it('warns that a shallow clone may name a later commit', async () => {
    const { folder } = await createRepository();
    const clone = await temporaryFolder();
    git(clone, 'clone', '--quiet', '--depth', '1', String(pathToFileURL(folder)), '.');

    const { release, warnings } = read(clone);

    expect(release).toMatch(/^[\da-f]{12}$/);
    expect(warnings).toEqual([expect.stringContaining('The clone is shallow')]);
  });

  it('warns, with the reason of Git, if there is no repository', async () => {
    const { release, warnings } = read(await temporaryFolder());

    expect(release).toBe('unknown');
    expect(warnings).toEqual([expect.stringContaining('not a git repository')]);
  });
});
