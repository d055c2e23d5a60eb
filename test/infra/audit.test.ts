import { describe, expect, it } from 'vitest';
import { runScript, temporaryFolder } from '../helpers/npmScript.ts';
import { answer, startScriptedServer } from '../helpers/scriptedServer.ts';

/** Runs `npm run audit` with a registry that answers audits so, and with a document on each package. */
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
    // npm keeps what it once learnt of a package.
    npm_config_cache: await temporaryFolder(),
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
  });
}

describe('npm run audit', () => {
  const flaw = { id: 1, title: 'A flaw', url: 'about:blank', vulnerable_versions: '*' };

  it('fails for an advisory on a package that ships, however low it is', async () => {
    const { exitCode, stdout } = await audit(200, { zod: [{ ...flaw, severity: 'low' }] });

    expect(stdout).toMatch(/^Advisories for packages that ship: .+"low":1,/m);
    expect(exitCode).toBe(1);
  });

  it.each([
    ['passes', 'moderate', 0],
    ['fails', 'high', 1],
  ])('%s for a %s advisory on a tool', async (_outcome, severity, code) => {
    const { exitCode, stdout } = await audit(200, { esbuild: [{ ...flaw, severity }] });

    expect(stdout).toMatch(/^Advisories for packages that ship: .+"total":0/m);
    expect(stdout).toMatch(new RegExp(`^Advisories for all packages: .+"${severity}":[1-9]`, 'm'));
    expect(exitCode).toBe(code);
  });

  it('says aloud that nothing was audited where the registry answers no audits', async () => {
    const { exitCode, stdout } = await audit(405, {});

    expect(stdout).toContain(
      '!!! SKIPPED: the packages are NOT audited, because the registry answered 405.',
    );
    expect(exitCode).toBe(0);
  });
});
