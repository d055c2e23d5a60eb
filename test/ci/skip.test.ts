import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

it.each([
  ['fails in GitHub Actions', 'true', 1],
  ['passes on other machines', undefined, 0],
])('a check that cannot run %s, and says so', (_, GITHUB_ACTIONS, exitCode) => {
  const env = { ...process.env, GITHUB_ACTIONS };

  const { status, stderr } = spawnSync(resolve('.ci/skip'), ['No Go.'], { env, encoding: 'utf8' });

  expect({ status, stderr }).toEqual({ status: exitCode, stderr: '*** SKIPPED: No Go. ***\n' });
});
