import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { features } from '../infra/deploymentContext.ts';
import type { Account, Stage } from '../infra/stages.ts';
import { defineCommand, print, runCommand } from '../infra/tools/command.ts';
import { installPythonCommand } from './helpers/installPythonCommand.ts';
import { stagesWith } from './helpers/stagesWith.ts';
import { synthesise } from './helpers/templates.ts';

/**
 * Runs cfn-lint, AWS's linter for CloudFormation, on the templates of every context and of every kind
 * of setting. Errors and warnings fail the run.
 *
 * It is installed from PyPI. Without PyPI the run is skipped and counts as passed.
 */
const version = '1.58.0';

/** W3005: a dependency is stated twice. The CDK does so for each role, whose policies it also names. */
const ignored = ['--ignore-checks', 'W3005'];

type Variant = { name: string; context?: Record<string, string>; stages?: Stage[] };

const certificateArn = 'arn:aws:acm:us-east-1:111122223333:certificate/4c7f';
const hostedZone = { id: 'Z0123456789', name: 'example.com' };
const ownAccount = (id: string): Account => ({
  id,
  hasApiGatewayLogRole: false,
  githubRepository: 'example/petstore',
});

const variants: Variant[] = [
  { name: 'default' },
  { name: 'fault', context: { fault: 'on' } },
  { name: 'bare', context: { without: features.join(',') } },
  ...features.map((feature) => ({ name: `without-${feature}`, context: { without: feature } })),
  {
    name: 'settings',
    stages: stagesWith(
      { alarmRecipient: { email: 'operators@example.com' } },
      {
        'v1-production': {
          account: ownAccount('111122223333'),
          domain: { name: 'api.example.com', certificateArn, hostedZone },
        },
        'v1-staging': {
          account: ownAccount('444455556666'),
          domain: { name: 'staging.example.com', certificateArn },
        },
      },
    ),
  },
];

export const cfnLint = defineCommand(
  'test:cfn-lint',
  "Checks the templates with AWS's linter.",
).action(() => {
  const program = installPythonCommand('cfn-lint', version);
  if (program) process.exitCode = lint(program);
});

/** Returns the exit code of cfn-lint. */
function lint(program: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-templates-'));
  try {
    const files = variants.flatMap((variant) => writeTemplates(variant, folder));
    const args = [...ignored, '--regions', 'us-east-1', '--', ...files];
    const { status, error } = spawnSync(program, args, { stdio: 'inherit' });
    if (error) throw error;
    print(`cfn-lint ${version} checked ${files.length} templates.`);
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeTemplates({ name, context, stages }: Variant, folder: string): string[] {
  const stacks = synthesise(context, stages).node.children.filter((child) => Stack.isStack(child));
  return stacks.map((stack) => {
    const file = join(folder, `${name}-${stack.node.id}.json`);
    writeFileSync(file, JSON.stringify(Template.fromStack(stack).toJSON(), undefined, 1));
    return file;
  });
}

if (import.meta.main) await runCommand(cfnLint);
