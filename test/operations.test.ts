import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { basePath, type OperationName, operationEntries, operations } from '../lib/operations.ts';

/**
 * The places that an operation needs beyond its row and its schemas, as CONTRIBUTING.md lists them.
 *
 * Everything else is derived from the table.
 */
const places = (name: OperationName) => [
  {
    file: `functions/${name}.ts`,
    has: new RegExp(`operationHandler\\('${name}'`),
    add: 'its handler',
  },
  {
    file: 'infra/openapi/texts.ts',
    has: new RegExp(`^  ${name}: {`, 'm'),
    add: 'its texts and examples',
  },
  {
    file: `test/functions/${name}.test.ts`,
    has: new RegExp(`describe\\('${name}`),
    add: 'a test of what clients cannot see',
  },
  {
    file: `test/contract/${name}.test.ts`,
    has: new RegExp(`describe\\('${name}`),
    add: 'a check of its interface from outside',
  },
  {
    file: 'docs/reference.md',
    has: new RegExp(
      `^\\| \`${name}\` \\| \`${operations[name].method} ${basePath}${operations[name].path}\``,
      'm',
    ),
    add: 'its row in the table of operations',
  },
];

describe('operations', () => {
  it.each(operationEntries)('have everything that an operation needs: %s', (name) => {
    const missing = places(name)
      .filter(({ file, has }) => !existsSync(file) || !has.test(readFileSync(file, 'utf8')))
      .map(({ file, add }) => `${name} is missing in ${file}: add ${add}.`);

    expect(missing).toEqual([]);
  });

  it.each(operationEntries.filter(([, { method }]) => method === 'GET'))(
    'only read when their method is GET: %s',
    (_, { access }) => {
      expect(access.filter(({ action }) => action !== 'GetItem' && action !== 'Query')).toEqual([]);
    },
  );

  it.each(
    operationEntries.flatMap(([name, { deprecation }]) =>
      deprecation ? [{ name, ...deprecation }] : [],
    ),
  )('no longer include $name from $sunset on: remove its row and its files', ({ sunset }) => {
    expect(Date.now()).toBeLessThan(Date.parse(sunset));
  });
});
