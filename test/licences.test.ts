import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type LockedPackage = { license?: string; dev?: boolean; devOptional?: boolean };

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, LockedPackage>;
};

/** Licences that require attribution at most. */
const allowed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0'];

describe('licences', () => {
  it('of all packages that can ship in a bundle are allowed', () => {
    const shipped = Object.entries(packages).filter(
      ([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional,
    );
    const others = shipped.filter(([, { license }]) => !allowed.includes(license ?? 'none'));

    expect(shipped.length).toBeGreaterThan(20);
    expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
  });
});
