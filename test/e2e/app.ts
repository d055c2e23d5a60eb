import { readFileSync, writeFileSync } from 'node:fs';
import { App, type CfnOutput, type Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { addStacks, bundleArtifacts } from '../../infra/app.ts';
import { baseAddressOutput, stackName } from '../../infra/core/stackNames.ts';
import type { Stage } from '../../infra/stageSchema.ts';
import { sandboxStage, stages } from '../../infra/stages.ts';
import { basePath } from '../../lib/operations.ts';
import { tables } from '../../lib/tables.ts';
import { removeEmulatorGaps } from './emulatorGaps.ts';

/** A sandbox, which is destroyed again. */
export const sandbox = {
  ...sandboxStage('v1-e2e'),
  corsOrigins: ['https://app.example.com'],
};

/** The stages as the emulator deploys them: without a domain and a pipeline, and with alarms by mail. */
const deployed = [...stages, sandbox].map(
  ({ domain, githubRepository, alarmRecipient, ...stage }): Stage => ({
    ...stage,
    // `npm run deploy` deploys to the account of the settings all the same.
    account: {},
    ...(alarmRecipient && { alarmRecipient: { email: 'operators@example.com' } }),
  }),
);

/** Lets the output of a stage have its address in the emulator, so that `npm run deploy` finds the stage there. */
function useAddressOfEmulator(app: App, { name }: Stage): void {
  const { node } = app.node.findChild(stackName(name)) as Stack;
  const { restApiId } = node.findChild('Api') as RestApi;
  const output = node.findChild(baseAddressOutput) as CfnOutput;
  output.value = `${process.env.AWS_ENDPOINT_URL}/_aws/execute-api/${restApiId}/${name}${basePath}`;
}

// The CDK runs this in the place of infra/app.ts.
if (import.meta.main) {
  const artifacts = await bundleArtifacts();
  const app = new App();
  addStacks(app, deployed, artifacts);
  for (const stage of deployed) useAddressOfEmulator(app, stage);
  const { PARTITION_KEY: partitionKey } = process.env;
  for (const { templateFullPath: file } of app.synth().stacks) {
    removeEmulatorGaps(file);
    // Lets the test try an update that would replace a table.
    if (partitionKey) {
      const template = readFileSync(file, 'utf8');
      const { name } = tables.pets.partitionKey;
      writeFileSync(
        file,
        template.replaceAll(`"AttributeName":"${name}"`, `"AttributeName":"${partitionKey}"`),
      );
    }
  }
}
