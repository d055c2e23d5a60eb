import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { durableName, otherName } from '../helpers/bareStage.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';

const run = promisify(execFile);

/** Replaces each program that the script calls: a stage on which all is well, except for calls like WRONG. */
const fake = `#!/usr/bin/env bash
call="\${0##*/} $*"
[[ $call == curl*--data-binary* ]] && cat >/dev/null
[ -z "$WRONG" ] || [[ $call != *"$WRONG"* ]] || { echo wrong; exit; }
case $call in
  *'--header X-205: 1'*) printf 429 ;;
  *'--config'*) echo '{"code":"bad_request","message":"The body must be JSON in UTF-8.","status":400}' ;;
  *--data-binary*) printf 413 ;;
  curl*/none) [ $(($$ % 3)) = 0 ] && echo 429 || echo 401 ;;
  *describe-stacks*) echo https://api.example.com/v1 ;;
  *LogGroup*) echo PetStore-AccessLog ;;
  *'--query status') echo Complete ;;
  *get-query-results*) echo Complete ;;
  *--state-value*|*list-subscriptions*) ;;
  *'--dimensions Name=stage'*) printf 'Latency\\tErrors\\tDamagedData\\n' ;;
  *list-metrics*) printf 'FailedRequests\\tRefusedRequests\\tValidRequests\\n' ;;
  *get-metric-data*) printf '0.1\\t0.2\\n' ;;
  npx*) echo eu-west-1 ;;
  *) echo any ;;
esac`;

type Ended = { code?: number; stdout: string; stderr: string };

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  for (const name of ['aws', 'curl', 'npx'])
    writeFileSync(join(folder, name), fake, { mode: 0o755 });
});

async function check(stage: string, WRONG = '') {
  const PATH = [folder, dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { PATH, PETSTORE_API_KEY: 'ps_key', WRONG };
  // A script that fails rejects with an error that has its outputs too.
  const ended = await run('tools/checkDeployed.sh', [stage], { env }).catch((error) => error);
  const { code: status = 0, stdout, stderr }: Ended = ended;
  return { status, lines: stdout.trim().split('\n'), stderr };
}

describe.concurrent('npm run check:deployed', { timeout: 60_000 }, () => {
  it.each([durableName, otherName])(
    'prints what it found, and exits with 0 if all of %s is as it should be',
    async (stage) => {
      const { status, lines } = await check(stage);

      expect(lines.length).toBeGreaterThan(3);
      for (const line of lines) expect(line).toMatch(/^ok {5}.+: /);
      expect(status).toBe(0);
    },
  );

  // Production has each of them, in infra/stages.ts of this repository.
  it.each([
    ['a body of 7 MB', '--write-out %{http_code} --header Content-Type'],
    ['a body that is not UTF-8', '--config'],
    ['100 requests at once', '/none'],
    ['more than 200 headers', 'X-205'],
    ['requests of the last hour with a 5xx', '--query [status'],
    ['alarms without data', 'INSUFFICIENT_DATA'],
    ['metrics of the functions', '--dimensions Name=stage'],
    ['metrics of the access log', '--namespace PetStore/'],
    ['the used share of the concurrency', 'get-metric-data'],
    ['subscriptions without confirmation', 'list-subscriptions'],
  ])('exits with 1 and says what it expected, if this differs: %s', async (what, wrong) => {
    const { status, lines } = await check(durableName, wrong);

    const found = lines.filter((line) => line.startsWith('WRONG  '));
    expect(found).toEqual([
      expect.stringMatching(RegExp(`^WRONG  ${what}.*: expected .*, got: .*wrong$`)),
    ]);
    expect(status).toBe(1);
  });

  it.each(['', '--help', '-x'])(
    'calls nothing and says how to use it, with "%s"',
    async (argument) => {
      const { status, lines, stderr } = await check(argument);

      expect(lines.join('') + stderr).toContain('npm run check:deployed -- <stage>');
      expect(status).toBe(argument === '--help' ? 0 : 2);
    },
  );
});
