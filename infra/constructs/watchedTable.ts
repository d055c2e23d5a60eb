import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { TableDefinition } from '../../lib/dynamodb/tables.ts';
import { operationEntries, type TableAccess } from '../../lib/operations.ts';

/** A table with what its metrics are kept under. */
export type WatchedTable = {
  /** Its construct id: `Pets`. */
  name: string;
  tableName: string;
  indexNames: string[];
  /** DynamoDB's operations that our code calls on it: `GetItem` and so on. */
  actions: string[];
};

type WatchedTableProps = {
  table: Table;
  definition: TableDefinition;
  /** As the operations name it; the API keys are read before any operation begins. */
  accessedAs: TableAccess['table'] | 'apiKeys';
};

export function watchedTable({ table, definition, accessedAs }: WatchedTableProps): WatchedTable {
  const accesses = operationEntries.flatMap(([, { access }]) => access);
  const actions = accesses.filter((each) => each.table === accessedAs).map(({ action }) => action);
  return {
    name: table.node.id,
    tableName: table.tableName,
    indexNames: Object.keys(definition.indexes),
    actions: accessedAs === 'apiKeys' ? ['GetItem'] : [...new Set(actions)].sort(),
  };
}
