import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isCreation } from '../infra/core/apiMethods.ts';
import { type Operation, type OperationName, operationEntries } from '../lib/operations.ts';
import { type TableDefinition, tables } from '../lib/tables.ts';

type Place = [file: string, has: string, add: string];

/** The tests that an operation needs, and that no other check misses. */
function places(name: OperationName, { method }: Operation): Place[] {
  const contract: Place = [
    `test/contract/${name}.test.ts`,
    `describe\\('${name}`,
    'a check of its interface from outside',
  ];
  const scenario: Place = [
    'test/interleavings/scenarios.ts',
    `operation: '${name}'`,
    'a scenario in which it races and is repeated',
  ];
  return method === 'GET' ? [contract] : [contract, scenario];
}

describe('operations', () => {
  it.each(operationEntries)('have the tests that an operation needs: %s', (name, row) => {
    const missing = places(name, row)
      .filter(
        ([file, has]) => !existsSync(file) || !RegExp(has, 'm').test(readFileSync(file, 'utf8')),
      )
      .map(([file, , add]) => `${name} is missing in ${file}: add ${add}.`);

    expect(missing, missing.join('\n')).toEqual([]);
  });

  it.each(operationEntries.filter(([, row]) => isCreation(row)))(
    'store what they create in tables that can be restored: %s',
    (_, { access }) => {
      const lost = access.filter(({ action, table }) => {
        const { pointInTimeRecovery, timeToLiveAttribute }: TableDefinition = tables[table];
        return action === 'PutItem' && pointInTimeRecovery === 'never' && !timeToLiveAttribute;
      });

      expect(lost, 'change pointInTimeRecovery in lib/tables.ts').toEqual([]);
    },
  );

  it.each(operationEntries.filter(([, { method }]) => method === 'GET'))(
    'only read when their method is GET: %s',
    (_, { access }) => {
      expect(access.filter(({ action }) => action !== 'GetItem' && action !== 'Query')).toEqual([]);
    },
  );
});
