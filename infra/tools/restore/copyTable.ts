import { CreateTableCommand, PutItemCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { petsTable } from '../../../lib/dynamodb/tables.ts';
import { createTableInput } from '../../local/createTables.ts';
import { scanTable } from './scanTable.ts';
import type { Table } from './Table.ts';

/** Copies the pets table of the local stage: its engine cannot restore one. */
export async function copyTable(from: Table, to: string): Promise<void> {
  const { client } = from;
  await client.send(new CreateTableCommand(createTableInput(to, petsTable)));
  await waitUntilTableExists(
    { client, maxWaitTime: 30, minDelay: 0.1, maxDelay: 1 },
    { TableName: to },
  );
  for await (const items of scanTable(from)) {
    for (const Item of items) await client.send(new PutItemCommand({ TableName: to, Item }));
  }
}
