import type { App } from 'aws-cdk-lib';
import { AccountStack } from './AccountStack.ts';
import { deploymentContext } from './deploymentContext.ts';
import { PetStoreStack } from './PetStoreStack.ts';
import { PipelineStack } from './PipelineStack.ts';
import { accountStackName, pipelineStackName, stackName, stages } from './stages.ts';

/** Adds to the app what its context asks for: a stack for each stage, and what they share. */
export function addStacks(app: App): void {
  const context = deploymentContext(app);
  const account = context.without.has('accessLogs')
    ? undefined
    : new AccountStack(app, accountStackName);
  for (const stage of stages) {
    // So a stage that must not fail cannot be deployed with the fault: it is not there.
    if (context.hasFault && !stage.allowsFault) continue;
    const stack = new PetStoreStack(app, stackName(stage.name), { stage, context });
    // API Gateway refuses access logs before it has the role.
    if (account) stack.addStackDependency(account);
  }
  const { githubRepository: repository } = context;
  if (repository) new PipelineStack(app, pipelineStackName, { repository });
}
