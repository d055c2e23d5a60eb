import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { createTables } from '../local/createTables.ts';
import { joinLocalDatabase } from '../local/localDatabase.ts';
import { localStage } from '../local/localStage.ts';
import { outputNames, stackName, stages } from '../stages.ts';
import type { ApiKeyRegistry } from './apiKeyRegistry.ts';

/** A registry that was opened, and what closes it. */
type OpenRegistry = ApiKeyRegistry & { close(): Promise<void> };

/**
 * Finds where a stage keeps its API keys.
 *
 * The local stage is found by its data folder, beside a running `npm start` or without one; the
 * others by the outputs of their stacks. Throws where there is no such stage, or it is not deployed.
 */
export async function openApiKeyRegistry(stage: string, folder: string): Promise<OpenRegistry> {
  if (stage === localStage.name) {
    const database = await joinLocalDatabase(folder);
    await createTables(localStage.tableNames);
    return { stage, tableName: localStage.tableNames.apiKeys, close: database.stop };
  }
  const names = stages.map(({ name }) => name);
  if (!names.some((name) => name === stage)) {
    throw new Error(`There is no stage ${stage}: take ${[localStage.name, ...names].join(', ')}.`);
  }
  return { stage, tableName: await findApiKeysTable(stackName(stage)), close: async () => {} };
}

async function findApiKeysTable(StackName: string): Promise<string> {
  const client = new CloudFormationClient();
  const { Stacks } = await client
    .send(new DescribeStacksCommand({ StackName }))
    .catch((cause: Error) => {
      throw new Error(
        `The stack ${StackName} cannot be read: ${cause.message}. Look at your AWS credentials and Region, and whether it is deployed.`,
        { cause },
      );
    });
  const output = Stacks?.[0]?.Outputs?.find(
    ({ OutputKey }) => OutputKey === outputNames.apiKeysTable,
  );
  if (!output?.OutputValue) {
    throw new Error(
      `The stack ${StackName} has no output ${outputNames.apiKeysTable}: deploy it again.`,
    );
  }
  return output.OutputValue;
}
