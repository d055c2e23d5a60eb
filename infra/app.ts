import { Annotations, App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleFunctions } from './bundle/bundleFunctions.ts';
import { bundlesFolder } from './bundle/bundleOptions.ts';
import { ItemPathError } from './core/apiMethods.ts';
import type { Artifacts } from './core/ServiceFunction.ts';
import { stackName, tablesStackName } from './core/stackNames.ts';
import { PetStoreStack } from './PetStoreStack.ts';
import { PipelineStack, pipelineStackName } from './parts/pipeline/PipelineStack.ts';
import { checkStages, environmentOf, SettingsError, type Stage } from './stageSchema.ts';
import { sandboxStage, stages } from './stages.ts';
import { TablesStack } from './TablesStack.ts';

// By itself, this file would do nothing and exit with 0.
if (import.meta.main) throw new Error('Run it as: npm run app');

/** Returns all stages, or only the sandbox that `cdk -c stage=v1-alice` names. */
export function chosenStages(app: App): readonly Stage[] {
  const name: unknown = app.node.tryGetContext('stage');
  return name === undefined ? stages : [sandboxStage(String(name))];
}

/**
 * Adds two stacks for each stage, its tables and its service, and one for the pipeline of each
 * account that has one.
 */
export function addStacks(app: App, stages: readonly Stage[], artifacts: Artifacts): void {
  checkStages(stages);
  for (const stage of stages) {
    const { name: stageName, account, isDurable, githubRepository: repository } = stage;
    const env = environmentOf(account);
    const props = {
      stage,
      env,
      terminationProtection: isDurable,
      // CloudFormation copies these tags to every resource, so that bills can be split by stage.
      tags: { Project: 'PetStore', Stage: stageName },
    };
    const tables = new TablesStack(app, tablesStackName(stageName), props);
    const service = new PetStoreStack(app, stackName(stageName), { ...props, artifacts });
    service.addStackDependency(tables);
    if (isDurable && !(account.id && account.region)) {
      Annotations.of(tables).addWarningV2(
        'PetStore:account',
        `Wrong credentials or a wrong Region would make a second, empty ${stageName}. In infra/stages.ts, set its account to { id: '111122223333', region: 'eu-west-1' }.`,
      );
    }
    if (repository) {
      // Several accounts have a stack of this name, so its id names the account.
      new PipelineStack(app, `${pipelineStackName}-${account.id}`, { repository, stageName, env });
    }
  }
}

/** Writes the bundles of the functions, and returns them. */
export async function bundleArtifacts(): Promise<Artifacts> {
  const bundles = await bundleFunctions(bundlesFolder);
  return (name) => {
    const bundle = bundles.find((each) => each.name === name);
    if (!bundle) throw new Error(`There is no bundle of ${name}.`);
    return bundle;
  };
}

/**
 * Returns the stacks, which the CDK synthesizes when the process ends. The CDK CLI runs this as `npm run app`. It prints
 * nothing, because the output of `cdk synth` is a template.
 */
export async function app(): Promise<App> {
  const artifacts = await bundleArtifacts();
  const stacks = new App();
  try {
    addStacks(stacks, chosenStages(stacks), artifacts);
  } catch (error) {
    if (!(error instanceof SettingsError || error instanceof ItemPathError)) throw error;
    process.stderr.write(`${error.message}\n`);
    // With `exitCode` instead, the App would still write the assembly when Node.js ends.
    process.exit(1);
  }
  // A finding fails the synthesis, unless the construct acknowledges it.
  Validations.of(stacks).addPlugins(new AwsSolutionsChecks(stacks));
  return stacks;
}
