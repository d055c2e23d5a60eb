import { type OperationName, operations, type TableAccess } from '../../lib/operations.ts';

/**
 * Returns what an operation may do to the tables, by its row: `GetItem pets PET#*`, `Query pets/byStatus`.
 *
 * The test of each operation states this list, so a wider permission is a change that a reviewer sees.
 * `test/infra/permissions.test.ts` checks that the function's role allows this and nothing else.
 */
export function permissionsOf(name: OperationName): string[] {
  return operations[name].access.map((access: TableAccess) => {
    const index = 'index' in access ? `/${access.index}` : '';
    const keys = 'partitionKey' in access ? ` ${access.partitionKey}` : '';
    return `${access.action} ${access.table}${index}${keys}`;
  });
}
