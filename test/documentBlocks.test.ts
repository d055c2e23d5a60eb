import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { otherName } from './helpers/bareStage.ts';
import { temporaryFolder } from './helpers/npmScript.ts';

// An operator pastes these blocks at night. Most take the output of one command to the next, so a command that
// changes something must not run after a failure.

const blocks = ['docs/runbook.md', 'docs/deployment.md'].flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/^( *)```sh\n(.*?)^ *```$/gms)].map(
    ([, indent = '', code = '']) => ({
      file,
      code: code.replaceAll(RegExp(`^${indent}`, 'gm'), ''),
    }),
  ),
);

const shell = resolve('tools/shell.sh');

/** A command that only reads. All others count as changes. */
const reads =
  /^(aws \S+ (batch-get|describe|get|list|lookup|start-query|wait)|curl|gh (api|run (list|watch))|npm (ci|run (bundle|keys -- list|restore .* --dry-run|smoke))|npx (cdk (diff|drift)|node)|sleep)\b/;
const changesOf = (calls: string[]) => calls.filter((call) => !reads.test(call));

/** Replaces each program. It logs its call, fails if its turn has come, and prints what blocks look for. */
const fake = `#!/usr/bin/env bash
call="\${0##*/} $*"
echo "\${call//$'\\n'/ }" >>calls
mapfile -t calls <calls
[ \${#calls[@]} != "$FAILING" ] || exit 1
echo 'createPet|getPet|fallback|"Sid": "1"'`;

let folder: string;
let definitions: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  for (const name of ['aws', 'curl', 'gh', 'git', 'npm', 'npx', 'sleep']) {
    writeFileSync(join(folder, name), fake, { mode: 0o755 });
  }
  definitions = runBash(`source '${shell}' ${otherName}; declare -f; declare -x`);
});

function runBash(input: string, failing = 0): string {
  const env = { PATH: [folder, process.env.PATH].join(delimiter), FAILING: String(failing) };
  return spawnSync('bash', { input, cwd: folder, env, encoding: 'utf8' }).stdout;
}

/** Pastes a block into the shell of the runbook, and returns its calls in order. */
function paste(code: string, failing = 0): string[] {
  const calls = join(folder, 'calls');
  writeFileSync(calls, '');
  // An interactive shell expands `!`, and goes on after a line that failed.
  runBash(`${definitions}\nFAILING=${failing}; set -o history -o histexpand\n${code}`);
  return readFileSync(calls, 'utf8').split('\n').slice(0, -1);
}

describe('a block of shell code', () => {
  const changing = blocks.filter(({ code }) => changesOf(commandsIn(code)).length > 0);

  it.each(changing)('of $file changes nothing after its first failure: $code', ({ code }) => {
    const calls = paste(code);

    const missing = commandsIn(code).filter((each) => !calls.some((call) => call.startsWith(each)));
    expect(missing, 'commands that it does not reach').toEqual([]);
    for (const [index, call] of calls.slice(0, -1).entries()) {
      const later = paste(code, index + 1).slice(index + 1);
      expect(changesOf(later), `after a failure of ${call}`).toEqual([]);
    }
  });

  it('is found if it changes something', () => {
    expect(changing.length).toBeGreaterThan(10);
  });
});

describe('tools/shell.sh', () => {
  it('defines only functions that a document or a command calls', () => {
    const defined = readFileSync(shell, 'utf8').match(/^\w+(?=\(\))/gm) ?? [];
    const scripts = globSync('tools/*.sh').map((file) => readFileSync(file, 'utf8'));
    const code = [...scripts, ...blocks.map((block) => block.code)].map(uncommented).join('\n');

    const isCalled = (name: string) => RegExp(`\\b${name}\\b(?!\\()`).test(code);
    expect(defined).not.toEqual([]);
    expect(defined.filter((name) => !isCalled(name))).toEqual([]);
  });

  /** Sources the file in a project with these settings, and prints the Region that commands get. */
  async function sourceWith(stageOrSandbox: string) {
    const project = await temporaryFolder();
    mkdirSync(join(project, 'infra'));
    const settings = `export const stageOrSandbox = () => ${stageOrSandbox};`;
    writeFileSync(join(project, 'infra/stages.ts'), settings);
    writeFileSync(join(project, 'npx'), '#!/bin/sh\nexec "$@"', { mode: 0o755 });
    writeFileSync(join(project, 'aws'), '#!/bin/sh\necho "$AWS_REGION"', { mode: 0o755 });
    const path = [project, dirname(process.execPath), process.env.PATH].join(delimiter);

    return spawnSync('bash', {
      input: `source '${shell}' ${otherName} && output BaseAddress`,
      cwd: project,
      env: { PATH: path, AWS_REGION: 'us-east-2' },
      encoding: 'utf8',
    });
  }

  it.each([
    ['the settings', "{ region: 'eu-west-1' }", 'eu-west-1'],
    ['AWS_REGION, if the settings have none', '{}', 'us-east-2'],
  ])('takes the Region of %s', async (_, account, region) => {
    const { stdout } = await sourceWith(`({ account: ${account} })`);

    expect(stdout).toBe(`${region}\n`);
  });

  it('says only what is wrong with the name of a stage', async () => {
    const { status, stderr } = await sourceWith("{ throw Error('Use v1-.'); }");

    expect([status, stderr]).toEqual([1, 'Use v1-.\n']);
  });
});

/** The beginnings of the commands that a block names: `aws iam put-role-policy`. */
function commandsIn(code: string): string[] {
  return uncommented(code).match(/\b(aws|gh|npm|npx) [a-z]\S* \S+( -- [a-z]\S*)?/g) ?? [];
}

function uncommented(code: string): string {
  return code.replaceAll(/(^|\s)#.*$/gm, '');
}
