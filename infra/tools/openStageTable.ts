import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { type Command, Option } from '@commander-js/extra-typings';
import { createTables } from '../local/createTables.ts';
import { joinLocalDatabase } from '../local/localDatabase.ts';
import { localStage } from '../local/localStage.ts';
import { outputNames, type Stage, stackName, stages } from '../stages.ts';

const outputs = { pets: outputNames.petsTable, apiKeys: outputNames.apiKeysTable } as const;

type StageTable = {
  tableName: string;
  /** Undefined for the local stage. */
  settings?: Stage;
  close(): Promise<void>;
};

const stageNames = [localStage, ...stages].map(({ name }) => name);

/** Adds a command with the options that `openStageTable` needs. */
export function addStageCommand(parent: Command, name: string, description: string) {
  return addStageOptions(parent.command(name).description(description));
}

export function addStageOptions(command: Command) {
  return command
    .addOption(new Option('--stage <stage>', 'the stage').choices(stageNames).makeOptionMandatory())
    .option('--data <folder>', 'the data folder of the local stage', localStage.dataFolder);
}

/**
 * Finds a table of a stage. Throws if the stage does not exist or is not deployed.
 *
 * The local stage is found by its data folder, whether or not `npm start` is running. The other
 * stages are found by the outputs of their stacks.
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
  if (!settings)
    throw new Error(`There is no stage ${stage}: use one of ${stageNames.join(', ')}.`);
  const tableName = await readStackOutput(stackName(stage), outputs[table]);
  return { tableName, settings, close: async () => {} };
}

/** Reads an output of a deployed stack. Throws if the stack or the output does not exist. */
async function readStackOutput(StackName: string, outputName: string): Promise<string> {
  const client = new CloudFormationClient();
  const { Stacks } = await client
    .send(new DescribeStacksCommand({ StackName }))
    .catch((cause: Error) => {
      throw new Error(
        `The stack ${StackName} cannot be read: ${cause.message}. Check your AWS credentials and Region, and that the stack is deployed.`,
        { cause },
      );
    });
  const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === outputName);
  if (!output?.OutputValue) {
    throw new Error(`The stack ${StackName} has no output ${outputName}: deploy it again.`);
  }
  return output.OutputValue;
}
