import { createTables } from '../local/createTables.ts';
import { joinLocalDatabase } from '../local/localDatabase.ts';
import { localStage } from '../local/localStage.ts';
import { outputNames, type Stage, stackName, stages } from '../stages.ts';
import { stackOutput } from './stackOutput.ts';

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
  const tableName = await stackOutput(stackName(stage), outputs[table]);
  return { tableName, settings, close: async () => {} };
}
