import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operationEntries } from '../../lib/operations.ts';

const deprecated = operationEntries.flatMap(([name, { deprecation }]) =>
  deprecation ? [{ name, ...deprecation }] : [],
);

describe('operations', () => {
  it('have one file each in functions/, next to the fallback and the release hook', () => {
    const files = globSync('functions/*.ts').map((file) => file.replace(/^functions\/|\.ts$/g, ''));

    const others = ['fallback', 'verifyVersion'];
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
