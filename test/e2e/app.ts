import { App, type CfnOutput, type Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import { addStacks, bundleArtifacts } from '../../infra/app.ts';
import {
  baseAddressOutput,
  stackName,
  tableConstruct,
  tablesStackName,
} from '../../infra/core/stackNames.ts';
import type { Stage } from '../../infra/stageSchema.ts';
import { sandboxStage, stages } from '../../infra/stages.ts';
import { basePath } from '../../lib/operations.ts';
import { removeEmulatorGaps } from './emulatorGaps.ts';

if (import.meta.main) throw new Error('Run it as: npm run e2e:deploy');

/** A sandbox, which is destroyed again. */
export const sandbox = {
  ...sandboxStage('v1-e2e'),
  corsOrigins: ['https://app.example.com'],
};

/** The account and Region that `Emulator.environmentOf` gives the command. */
const { AWS_ACCESS_KEY_ID: id = '', AWS_REGION: region = '' } = process.env;

/** The stages as the emulator deploys them: without a domain and a pipeline, and with alarms by mail. */
const deployed = [...stages, sandbox].map(
  ({ domain, githubRepository, monitoring, ...stage }): Stage => ({
    ...stage,
    account: { id, region },
    ...(monitoring && { monitoring: { recipient: { email: 'operators@example.com' } } }),
  }),
);

/** Lets the output of a stage have its address in the emulator, so that `npm run deploy` finds the stage there. */
function useAddressOfEmulator(app: App, { name }: Stage): void {
  const { node } = app.node.findChild(stackName(name)) as Stack;
  const { restApiId } = node.findChild('Api') as RestApi;
  const output = node.findChild(baseAddressOutput) as CfnOutput;
  output.value = `${process.env.AWS_ENDPOINT_URL}/_aws/execute-api/${restApiId}/${name}${basePath}`;
}

/** Lets the test try an update that would replace a table. */
function usePartitionKey(app: App, { name }: Stage, partitionKey: string): void {
  const { node } = app.node.findChild(tablesStackName(name)) as Stack;
  const table = node.findChild(tableConstruct('pets')).node.defaultChild as CfnTable;
  for (const property of ['KeySchema', 'AttributeDefinitions']) {
    table.addPropertyOverride(`${property}.0.AttributeName`, partitionKey);
  }
}

/** The CDK runs this in the place of the function in infra/app.ts. */
export async function app(): Promise<void> {
  const artifacts = await bundleArtifacts();
  const stacks = new App();
  addStacks(stacks, deployed, artifacts);
  for (const stage of deployed) {
    useAddressOfEmulator(stacks, stage);
    const { PARTITION_KEY: partitionKey } = process.env;
    if (partitionKey) usePartitionKey(stacks, stage, partitionKey);
  }
  for (const { templateFullPath } of stacks.synth().stacks) removeEmulatorGaps(templateFullPath);
}
