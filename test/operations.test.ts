import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isCreation } from '../infra/core/apiMethods.ts';
import {
  type Operation,
  type OperationName,
  operationEntries,
  operations,
} from '../lib/operations.ts';
import { ListPetsQuery } from '../lib/schemas.ts';
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
  ['docs/guide/changelog.md', `\`${name}\``, 'what is new for clients'],
  ...(operations[name].method === 'GET' ? [] : [scenarioOf(name)]),
];

const isFilter = (parameter: string) => parameter !== 'limit' && parameter !== 'cursor';

/** The rows that a test would skip or misread. What teaches the test such a row removes its line here. */
const unread: [test: string, isUnread: (row: Operation) => unknown][] = [
  [
    'test/contract/petResource.ts and test/helpers/samplePets.ts have the filter of one list.',
    ({ input: { query } }) =>
      query !== ListPetsQuery && Object.keys(Object(query).shape ?? {}).some(isFilter),
  ],
];

describe('operations', () => {
  it.each(operationEntries)('are rows that all tests can read: %s', (_, row) => {
    const tests = unread.flatMap(([test, isUnread]) => (isUnread(row) ? [test] : []));

    expect(tests, tests.join('\n')).toEqual([]);
  });

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

  it.each(operationEntries.filter(([, { input }]) => input.path))(
    'refuse the id ~, with which test/contract/authentication.test.ts sends writes: %s',
    (_, { path, input }) => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

      expect(input.path?.safeParse(Object.fromEntries(names.map((name) => [name, '~'])))).toEqual(
        expect.objectContaining({ success: false }),
      );
    },
  );

  it.each(operationEntries.filter(([, { method }]) => method === 'GET'))(
    'only read when their method is GET: %s',
    (_, { access }) => {
      expect(access.filter(({ action }) => action !== 'GetItem' && action !== 'Query')).toEqual([]);
    },
  );

  // Only a warning, because an urgent change must still pass on the day of a sunset.
  it('are warned of after their sunset', async ({ annotate }) => {
    for (const [name, { deprecation }] of operationEntries) {
      if (!deprecation || Date.now() < Date.parse(deprecation.sunset)) continue;
      const message = `The sunset of ${name} was ${deprecation.sunset}: remove its row and its files.`;
      process.stderr.write(`${message}\n`);
      await annotate(message, 'warning');
    }
  });
});
