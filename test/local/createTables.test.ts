import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { type TableDefinition, tables } from '../../lib/tables.ts';
import { createTable } from '../../local/createTables.ts';

const client = new DynamoDBClient();
const { pets } = tables;
const { byStatus } = pets.indexes;

/** Opens the pets table where a table of another version exists. */
async function open(existing: TableDefinition): Promise<string> {
  const name = randomUUID();
  await createTable(client, name, existing);
  await createTable(client, name, pets);
  return 'opened';
}

describe('a table that exists', () => {
  it.each<[what: string, existing: TableDefinition]>([
    ['the keys and indexes of this version', pets],
    ['a further index', { ...pets, indexes: { ...pets.indexes, another: byStatus } }],
  ])('is used if it has %s', async (_what, existing) => {
    expect(await open(existing)).toBe('opened');
  });

  it.each<[what: string, existing: TableDefinition]>([
    ['lacks an index', { ...pets, indexes: { byStatus } }],
    [
      'has an index with another key',
      {
        ...pets,
        indexes: { ...pets.indexes, byStatus: { ...byStatus, partitionKey: pets.partitionKey } },
      },
    ],
    ['has another key', { ...pets, partitionKey: byStatus.sortKey }],
    ['has a key of another type', { ...pets, partitionKey: { name: 'pk', type: 'N' } }],
  ])('is refused, with what to delete, if it %s', async (_what, existing) => {
    await expect(open(existing)).rejects.toThrow(
      /^The table .+ is of another version, with other keys or indexes\. Delete the data folder, by default \.petstore\/, with its pets and its API key\.$/,
    );
  });
});
