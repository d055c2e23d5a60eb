import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { durableName } from '../helpers/bareStage.ts';
import { fullProduction } from '../helpers/fullStacks.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';

const run = promisify(execFile);
const script = 'tools/checkDeployed.sh';

/** Each result of the script: what it is, a call that only this result needs, and a fake of this call. */
const results: [what: string, call: string, fake: string][] = [
  ['a body of 7 MB', 'curl*--write-out*--data-binary*', 'printf 413'],
  [
    'a body that is not UTF-8',
    'curl*--config*',
    `echo '{"code":"bad_request","message":"The body must be JSON in UTF-8.","status":400}'`,
  ],
  ['100 requests at once', 'curl*/none', '[ $(($$ % 3)) = 0 ] && echo 429 || echo 401'],
  ['a preflight from https://app.example.com', 'curl*OPTIONS*', 'echo 204 https://app.example.com'],
  ['more than 200 headers', 'curl*X-205:*', 'printf 429'],
  ['requests of the last hour with a 5xx', '*get-query-results*results*', 'echo Complete'],
  ['alarms without data', '*--state-value*', ':'],
  ['metrics of the functions', '*--dimensions?Name=stage*', 'echo Errors DamagedData'],
  [
    'metrics of the access log',
    '*--namespace?PetStore/*',
    'echo FailedRequests RefusedRequests ValidRequests',
  ],
  ['the used share of the concurrency', '*get-metric-data*', 'echo 0.1 0.2'],
  ['subscriptions without confirmation', '*list-subscriptions*', ':'],
];

/** Replaces each program that the script calls: all is well, except for calls like WRONG. */
const fake = `#!/usr/bin/env bash
call="\${0##*/} $*"
[[ $call == curl*--data-binary* ]] && cat >/dev/null
[[ $call != $WRONG ]] || { echo wrong; exit; }
case $call in
${results.map(([, call, answer]) => `  ${call}) ${answer} ;;`).join('\n')}
  npx*) echo eu-west-1 ;;
  *get-query-results*) echo Complete ;;
  *get-function-configuration*) echo "$ORIGINS" ;;
  *OutputKey*) echo https://api.example.com/v1 ;;
  *'[].ResourceType') [ "$TYPES" != denied ] || exit 254; echo "$TYPES" ;;
  *AWS::Logs::LogGroup*) [[ $TYPES != *AWS::Logs::LogGroup* ]] || echo PetStore-AccessLog ;;
  *) echo any ;;
esac`;

/** What the script finds in the stack with every optional setting, and in one without any. */
const everything = {
  ORIGINS: 'https://app.example.com https://admin.example.com',
  TYPES: Object.values<{ Type: string }>(fullProduction.toJSON().Resources)
    .map(({ Type }) => Type)
    .join('\t'),
};
const nothing = { ORIGINS: 'None', TYPES: '' };

type Ended = { code?: number; stdout: string; stderr: string };

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  for (const name of ['aws', 'curl', 'npx'])
    writeFileSync(join(folder, name), fake, { mode: 0o755 });
});

async function check(stage: string, stack: Record<string, string>, WRONG = '') {
  const PATH = [folder, dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { PATH, PETSTORE_API_KEY: 'ps_key', WRONG, ...stack };
  // A script that fails rejects with an error that has its outputs too.
  const ended = await run(script, [stage], { env }).catch((error) => error);
  const { code: status = 0, stdout, stderr }: Ended = ended;
  return { status, lines: stdout.trim().split('\n'), stderr };
}

describe.concurrent('npm run check:deployed', () => {
  it.each([
    ['every optional setting', everything, results],
    ['none', nothing, results.slice(0, 3)],
  ])(
    'prints what it found, and exits with 0 if all is as it should be, with %s',
    async (_, stack, expected) => {
      const { status, lines } = await check(durableName, stack);

      expect(lines).toEqual(
        expected.map(([what]) => expect.stringMatching(RegExp(`^ok {5}${what}.*: `))),
      );
      expect(status).toBe(0);
    },
  );

  it('expects only what this test tries', () => {
    expect(readFileSync(script, 'utf8').match(/^ *expect ['"]/gm)).toHaveLength(results.length);
  });

  it.each(results)(
    'exits with 1 and says what it expected, if this differs: %s',
    async (what, wrong) => {
      const { status, lines } = await check(durableName, everything, wrong);

      const found = lines.filter((line) => line.startsWith('WRONG  '));
      expect(found).toEqual([
        expect.stringMatching(RegExp(`^WRONG  ${what}.*: expected .*, got: .*wrong$`)),
      ]);
      expect(status).toBe(1);
    },
  );

  it('fails if AWS does not say what the stack has', async () => {
    const { status } = await check(durableName, { ...everything, TYPES: 'denied' });

    expect(status).toBe(254);
  });

  it.each(['', '--help', '-x'])(
    'calls nothing and says how to use it, with "%s"',
    async (argument) => {
      const { status, lines, stderr } = await check(argument, nothing);

      expect(lines.join('') + stderr).toContain('npm run check:deployed -- <stage>');
      expect(status).toBe(argument === '--help' ? 0 : 2);
    },
  );
});
