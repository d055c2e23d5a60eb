import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operationEntries } from '../lib/operations.ts';

type Place = { file: string; or?: string; has: RegExp; add: string };

/**
 * The places that an operation needs beyond its row and its schemas, as CONTRIBUTING.md lists them.
 *
 * Everything else is derived from the table. Each place has tests of its own; this one says what is
 * missing.
 */
const places = (name: string): Place[] => [
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
    has: new RegExp(`permissionsOf\\('${name}'`),
    add: 'a test that states its permissions',
  },
  {
    file: `test/functions/${name}.test.ts`,
    or: 'test/lib/roundTrips.test.ts',
    has: new RegExp(`accessFaults[^]*'${name}'`),
    add: 'a test that counts its round trips, with measureDatabase and accessFaults',
  },
  {
    file: `test/contract/${name}.test.ts`,
    has: new RegExp(`describe\\('${name}'`),
    add: 'checks of its interface from outside',
  },
  {
    file: 'client/src/createPetStoreClient.ts',
    has: new RegExp(`operation: '${name}'`),
    add: 'its method, with its type in client/src/types.ts',
  },
  {
    file: 'test/infra/bundleBudgets.json',
    has: new RegExp(`"${name}"`),
    add: 'the size of its bundle, which npm run bundle prints',
  },
];

const deprecated = operationEntries.flatMap(([name, { deprecation }]) =>
  deprecation ? [{ name, ...deprecation }] : [],
);

function holds(file: string, text: RegExp): boolean {
  return existsSync(file) && text.test(readFileSync(file, 'utf8'));
}

describe('operations', () => {
  it.each(operationEntries)('have everything that an operation needs: %s', (name) => {
    const missing = places(name)
      .filter(({ file, or, has }) => !holds(file, has) && !(or && holds(or, has)))
      .map(({ file, add }) => `${name} is missing in ${file}: add ${add}.`);

    expect(missing).toEqual([]);
  });

  it('have one file each in functions/, next to the fallback and the release hook', () => {
    const files = globSync('functions/*.ts').map((file) => file.replace(/^functions\/|\.ts$/g, ''));

    const others = ['fallback', 'heartbeat', 'verifyVersion'];
    expect(files.sort()).toEqual([...operationEntries.map(([name]) => name), ...others].sort());
  });

  it.each(deprecated)(
    'no longer include $name from $sunset on: remove its row and its file',
    ({ sunset }) => {
      expect(Date.now()).toBeLessThan(Date.parse(sunset));
    },
  );

  it('have deprecated getPet until 5 December 2030', () => {
    expect(deprecated).toEqual([
      { name: 'getPet', since: '2026-11-20', sunset: '2030-12-05', successorPath: '/pets' },
    ]);
  });
});
