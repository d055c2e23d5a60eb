import { describe, expect, it } from 'vitest';
import { runScript, temporaryFolder } from '../helpers/npmScript.ts';
import { answer, startScriptedServer } from '../helpers/scriptedServer.ts';

/** Runs `npm run audit` with a registry that sends this response to an audit. */
async function audit(status: number, advisories: object) {
  const react = (...exchange: Parameters<ReturnType<typeof answer>>) => {
    const [, { path }] = exchange;
    if (path.endsWith('/security/advisories/bulk')) return answer(status, advisories)(...exchange);
    const name = decodeURIComponent(path.replace('/v1/', ''));
    const versions = { '1.0.0': { name, version: '1.0.0' } };
    return answer(200, { name, versions, 'dist-tags': { latest: '1.0.0' } })(...exchange);
  };
  const { baseAddress } = await startScriptedServer(...Array(20).fill(react));
  return runScript('audit', [], {
    npm_config_registry: baseAddress,
    // npm caches what it knows about a package.
    npm_config_cache: await temporaryFolder(),
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
  });
}

describe('npm run audit', () => {
  const flaw = { id: 1, title: 'A flaw', url: 'about:blank', vulnerable_versions: '*' };

  it('fails for a low advisory on a package that ships, and for a high one on a tool', async () => {
    const { exitCode, stdout } = await audit(200, {
      '@middy/http-error-handler': [{ ...flaw, severity: 'low' }],
      knip: [{ ...flaw, id: 2, severity: 'high' }],
    });

    expect(stdout).toMatch(/^Advisories for packages that ship: .+"low":1,.+"high":0,/m);
    expect(stdout).toContain('Run npm audit --omit=dev --audit-level=info for details.');
    expect(stdout).toMatch(/^Advisories for all packages: .+"high":[1-9]/m);
    expect(stdout).toContain('Run npm audit --audit-level=high for details.');
    expect(exitCode).toBe(1);
  });

  it('passes for a moderate advisory on a tool', async () => {
    const { exitCode, stdout } = await audit(200, { knip: [{ ...flaw, severity: 'moderate' }] });

    expect(stdout).toMatch(/^Advisories for packages that ship: .+"total":0/m);
    expect(stdout).toMatch(/^Advisories for all packages: .+"moderate":[1-9]/m);
    expect(exitCode).toBe(0);
  });

  it('passes and says that nothing was audited if the registry cannot audit', async () => {
    const { exitCode, stdout } = await audit(405, {});

    expect(stdout).toContain(
      '!!! SKIPPED: the packages are NOT audited, because the registry responded with 405.',
    );
    expect(exitCode).toBe(0);
  });
});
