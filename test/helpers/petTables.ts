import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { handler as createPet } from '../../functions/createPet.ts';
import { copyTable } from '../../infra/tools/restore/restoreTable.ts';
import type { Table } from '../../infra/tools/restore/scanTable.ts';
import { config } from '../../lib/config.ts';
import { call } from './api.ts';

const client = new DynamoDBClient();
const readUnitsPerSecond = Number.POSITIVE_INFINITY;
/** The pets table of this test file's stage. */
export const live: Table = { client, tableName: config.petsTableName, readUnitsPerSecond };

let restoredTables = 0;

/** Copies the live table as it is now into a new table. */
export async function snapshot(): Promise<Table> {
  const tableName = `${live.tableName}-${++restoredTables}`;
  await copyTable(live, tableName);
  return { ...live, tableName };
}

/** Adds a pet and returns its id. */
export async function create(name: string, categoryId = '1'): Promise<number> {
  const { json } = await call(createPet, { body: `{"name":"${name}","categoryId":${categoryId}}` });
  return json.id;
}
