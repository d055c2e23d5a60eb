import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runScript, temporaryFolder } from '../helpers/npmScript.ts';
import { respond, startScriptedServer } from '../helpers/scriptedServer.ts';

const lockFile = {
  lockfileVersion: 3,
  packages: {
    '': { dependencies: { shipped: '1.0.0' }, devDependencies: { tool: '1.0.0' } },
    'node_modules/shipped': { version: '1.0.0' },
    'node_modules/tool': { version: '1.0.0', dev: true },
  },
};

/** Runs the audit of a project with two packages, with a registry that responds like this. */
async function audit(status: number, advisories: object) {
  const react = (...exchange: Parameters<ReturnType<typeof respond>>) => {
    const [, { path }] = exchange;
    if (path.endsWith('/security/advisories/bulk')) return respond(status, advisories)(...exchange);
    const name = path.replace('/v1/', '');
    const versions = { '1.0.0': { name, version: '1.0.0' } };
    return respond(200, { name, versions, 'dist-tags': { latest: '1.0.0' } })(...exchange);
  };
  const { baseAddress } = await startScriptedServer(...Array(10).fill(react));
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'package.json'), JSON.stringify(lockFile.packages['']));
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lockFile));
  const environment = {
    npm_config_registry: baseAddress,
    // npm caches what it knows about a package.
    npm_config_cache: join(folder, 'cache'),
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
  };
  return runScript('audit', [], environment, folder);
}

describe('npm run audit', () => {
  const flaw = { id: 1, title: 'A flaw', url: 'about:blank', vulnerable_versions: '*' };

  it('fails for a low advisory on a package that ships, not for a moderate one on a tool', async () => {
    const { exitCode, stdout } = await audit(200, {
      shipped: [{ ...flaw, severity: 'low' }],
      tool: [{ ...flaw, id: 2, severity: 'moderate' }],
    });

    expect(stdout).toMatch(/^Advisories for packages that ship: .+"low":1,.+"total":1}$/m);
    expect(stdout).toContain('Run npm audit --omit=dev --audit-level=info for details.');
    expect(stdout).toMatch(/^Advisories for all packages: .+"moderate":1,.+"total":2}$/m);
    expect(stdout).not.toContain('Run npm audit --audit-level=high');
    expect(exitCode).toBe(1);
  });

  it('fails for a high advisory on a tool', async () => {
    const { exitCode, stdout } = await audit(200, { tool: [{ ...flaw, severity: 'high' }] });

    expect(stdout).toMatch(/^Advisories for packages that ship: .+"total":0}$/m);
    expect(stdout).toMatch(/^Advisories for all packages: .+"high":1,/m);
    expect(stdout).toContain('Run npm audit --audit-level=high for details.');
    expect(exitCode).toBe(1);
  });

  it('passes and says that nothing was audited if the registry cannot audit', async () => {
    const { exitCode, stdout } = await audit(405, {});

    expect(stdout).toContain(
      '!!! SKIPPED: the packages are NOT audited, because the registry responded with 405.',
    );
    expect(exitCode).toBe(0);
  });
});
