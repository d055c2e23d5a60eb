import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isCreation } from '../infra/core/apiMethods.ts';
import { type OperationName, operationEntries, operations } from '../lib/operations.ts';
import { type TableDefinition, tables } from '../lib/tables.ts';

const scenarioOf = (name: OperationName): [file: string, has: string, add: string] => [
  'test/interleavings/scenarios.ts',
  `operation: '${name}'`,
  'a scenario in which it races and is repeated',
];

/**
 * The places that an operation needs beyond its row and its schemas.
 *
 * Everything else is derived from the table.
 */
const places = (name: OperationName): [file: string, has: string, add: string][] => [
  [`functions/${name}.ts`, `operationHandler\\('${name}'`, 'its handler'],
  [`test/contract/${name}.test.ts`, `describe\\('${name}`, 'a check of its interface from outside'],
  ...(operations[name].method === 'GET' ? [] : [scenarioOf(name)]),
];

describe('operations', () => {
  it.each(operationEntries)('have everything that an operation needs: %s', (name) => {
    const missing = places(name)
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
