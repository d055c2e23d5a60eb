import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleFunctions } from './bundle/bundleFunctions.ts';
import { bundlesFolder, projectRoot } from './bundle/bundleOptions.ts';
import { ItemPathError } from './core/apiMethods.ts';
import type { Artifacts } from './core/ServiceFunction.ts';
import { stackName } from './core/stackNames.ts';
import { PetStoreStack } from './PetStoreStack.ts';
import { PipelineStack, pipelineStackName } from './parts/pipeline/PipelineStack.ts';
import { checkStages, environmentOf, hasAlarms, SettingsError, type Stage } from './stageSchema.ts';
import { sandboxStage, stages } from './stages.ts';

/** Returns all stages, or only the sandbox that `cdk -c stage=v1-alice` names. */
export function chosenStages(app: App): readonly Stage[] {
  const name: unknown = app.node.tryGetContext('stage');
  return name === undefined ? stages : [sandboxStage(String(name))];
}

/** Adds a stack for each stage, and one for the pipeline of each account that has one. */
export function addStacks(app: App, stages: readonly Stage[], artifacts: Artifacts): void {
  checkStages(stages);
  for (const stage of stages) {
    new PetStoreStack(app, stackName(stage.name), { stage, artifacts });
    const { name: stageName, account, githubRepository: repository } = stage;
    if (repository) {
      // Several accounts have a stack of this name, so its id names the account.
      new PipelineStack(app, `${pipelineStackName}-${account.id}`, {
        repository,
        stageName,
        env: environmentOf(account),
        hasAlarms: hasAlarms(stage),
      });
    }
  }
}

/** Returns the last commit that changed the functions. Warns if Git cannot know it. */
export function readRelease(folder = projectRoot): string {
  const git = (...args: string[]) =>
    spawnSync('git', args, { cwd: folder, encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  const sources = ['functions', 'lib', 'infra/bundle', 'package-lock.json'];
  // The settings of a user change neither the form nor the length of this output, as they do with `git log`.
  const commit = ['rev-list', '-1', '--abbrev-commit', '--abbrev=12', 'HEAD', '--', ...sources];
  const { stdout, stderr, error } = git(...commit);
  const release = stdout?.trim();
  if (!release) {
    const reason = error?.message ?? stderr.trim();
    warn(`Git names no commit that changed the functions, so RELEASE is "unknown". ${reason}`);
  } else if (git('rev-parse', '--is-shallow-repository').stdout.trim() === 'true') {
    warn('The clone is shallow, so RELEASE may be a later commit. Run git fetch --unshallow.');
  }
  return release || 'unknown';
}

function warn(message: string): void {
  process.stderr.write(`${message.trim()}\n`);
}

// The CDK CLI runs this as `npm run app`. It prints nothing, because the output of `cdk synth` is a template.
if (import.meta.main) {
  await bundleFunctions(bundlesFolder);
  const app = new App();
  const bundleOf = (functionName: string) => join(bundlesFolder, functionName);
  try {
    addStacks(app, chosenStages(app), { bundleOf, release: readRelease() });
  } catch (error) {
    if (!(error instanceof SettingsError || error instanceof ItemPathError)) throw error;
    warn(error.message);
    // With `exitCode` instead, the App would still write the assembly when Node.js ends.
    process.exit(1);
  }
  // A finding fails the synthesis, unless the construct acknowledges it.
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
