import { spawnSync } from 'node:child_process';
import { defineCommand, print, runCommand } from './command.ts';

const audits = [
  { scope: 'packages that ship', args: ['--omit=dev', '--audit-level=info'] },
  { scope: 'all packages', args: ['--audit-level=high'] },
];

/** The output of `npm audit --json`: findings, or the registry's refusal. */
type Report = {
  metadata?: { vulnerabilities: Record<string, number> };
  message?: string;
  statusCode?: number;
};

export const audit = defineCommand('audit')
  .addHelpText(
    'after',
    `
Any advisory counts for packages that ship, and only "high" and above for tools. Some registries, often
mirrors, cannot audit. That prints a conspicuous line and passes.`,
  )
  .action(() => {
    for (const { scope, args } of audits) {
      const { status, stdout } = spawnSync('npm', ['audit', '--json', ...args], {
        encoding: 'utf8',
      });
      const { metadata, message, statusCode } = JSON.parse(stdout) as Report;
      if (message !== undefined) {
        const reason =
          statusCode === undefined ? 'did not respond' : `responded with ${statusCode}`;
        print(`\n!!! SKIPPED: the packages are NOT audited, because the registry ${reason}.\n`);
        return;
      }
      print(`Advisories for ${scope}: ${JSON.stringify(metadata?.vulnerabilities)}`);
      if (status !== 0) {
        print(`Run npm audit ${args.join(' ')} for details.`);
        process.exitCode = 1;
      }
    }
  });

if (import.meta.main) await runCommand(audit);
