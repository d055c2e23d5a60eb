import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { createTables } from '../local/createTables.ts';
import { joinLocalDatabase } from '../local/localDatabase.ts';
import { localStage } from '../local/localStage.ts';
import { outputNames, type Stage, stackName, stages } from '../stages.ts';

const outputs = { pets: outputNames.petsTable, apiKeys: outputNames.apiKeysTable } as const;

/** A table of a stage that was opened, and what closes it. */
export type StageTable = {
  tableName: string;
  /** Absent for the local stage. */
  settings?: Stage;
  close(): Promise<void>;
};

/**
 * Finds a table of a stage.
 *
 * The local stage is found by its data folder, beside a running `npm start` or without one; the
 * others by the outputs of their stacks. Throws where there is no such stage, or it is not deployed.
 */
export async function openStageTable(
  table: keyof typeof outputs,
  stage: string,
  folder: string,
): Promise<StageTable> {
  if (stage === localStage.name) {
    const database = await joinLocalDatabase(folder);
    await createTables(localStage.tableNames);
    return { tableName: localStage.tableNames[table], close: database.stop };
  }
  const settings = stages.find(({ name }) => name === stage);
  if (!settings) {
    const names = [localStage, ...stages].map(({ name }) => name);
    throw new Error(`There is no stage ${stage}: take ${names.join(', ')}.`);
  }
  const tableName = await findOutput(stackName(stage), outputs[table]);
  return { tableName, settings, close: async () => {} };
}

async function findOutput(StackName: string, outputName: string): Promise<string> {
  const client = new CloudFormationClient();
  const { Stacks } = await client
    .send(new DescribeStacksCommand({ StackName }))
    .catch((cause: Error) => {
      throw new Error(
        `The stack ${StackName} cannot be read: ${cause.message}. Look at your AWS credentials and Region, and whether it is deployed.`,
        { cause },
      );
    });
  const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === outputName);
  if (!output?.OutputValue) {
    throw new Error(`The stack ${StackName} has no output ${outputName}: deploy it again.`);
  }
  return output.OutputValue;
}
