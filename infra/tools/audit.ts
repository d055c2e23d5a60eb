import { spawnSync } from 'node:child_process';

/**
 * Fails where an advisory is known for a package of the lock file: `npm audit`, for the gate.
 *
 * Of packages that ship, any; of tools, from `high` on. A registry that answers no audits (mirrors often
 * do not) is no finding: that is said in a line that cannot be overlooked, and counts as passed.
 */
const audits = [
  { of: 'packages that ship', args: ['--omit=dev', '--audit-level=info'] },
  { of: 'all packages', args: ['--audit-level=high'] },
];

/** What `npm audit --json` writes: its findings, or the refusal of the registry. */
type Answer = {
  metadata?: { vulnerabilities: Record<string, number> };
  message?: string;
  statusCode?: number;
};

for (const { of, args } of audits) {
  const { status, stdout } = spawnSync('npm', ['audit', '--json', ...args], { encoding: 'utf8' });
  const { metadata, message, statusCode } = JSON.parse(stdout) as Answer;
  if (message !== undefined) {
    const reason = statusCode === undefined ? 'did not answer' : `answered ${statusCode}`;
    process.stdout.write(
      `\n!!! SKIPPED: the packages are NOT audited, because the registry ${reason}.\n\n`,
    );
    break;
  }
  process.stdout.write(`Advisories for ${of}: ${JSON.stringify(metadata?.vulnerabilities)}\n`);
  if (status !== 0) {
    process.stdout.write(`See npm audit ${args.join(' ')}\n`);
    process.exitCode = 1;
  }
}
