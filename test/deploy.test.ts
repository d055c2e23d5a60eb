import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alarmTopicOutput, baseAddressOutput, stackName } from '../infra/stackNames.ts';
import { stages } from '../infra/stages.ts';
import { routeError } from '../lib/http/routes.ts';
import { operations } from '../lib/operations.ts';
import { temporaryFolder } from './helpers/npmScript.ts';

const baseAddress = 'https://api.example.com/v1';
const topic = 'arn:aws:sns:eu-central-1:111122223333:AlarmTopic';
const key = 'ps_v1_staging_secret';

/** Stands for each program that the script calls. It logs its call and, of curl, the input. */
const fake = `#!/usr/bin/env bash
call="\${0##*/} $*"
[[ $call == curl* ]] && call="$call < $(tr '\\n' ' ')"
[[ $call == npm*' smoke '* ]] && call="$call $PETSTORE_API_KEY"
echo "$call" >>calls
case $call in
  'aws cloudformation'*) [ "$AWAITED" ] && echo ${baseAddress} ;;
  *'keys -- create'*) printf 'API key  ${key}\\nID       key_1\\n' ;;
  curl*--write-out*) sed -n "s#^$5 $6 ##p" responses ;;
  sleep*) exit 1 ;;
  npx*) for _ in {1..99}; do grep -q "$AWAITED" calls && break; /bin/sleep 0.1; done; /bin/sleep 0.1 ;;
  npm*' smoke '*) exit "$SMOKE" ;;
esac`;

/** `GET https://api.example.com/v1/pets/1` and so on, in order. */
const requests = Object.values(operations).map(
  ({ method, path }) => `${method} ${baseAddress}${path.replaceAll(/\{\w+\}/g, '1')}`,
);

type Situation = {
  isDeployed?: boolean;
  smoke?: number;
  /** How the running stage responds to a request, if it matters. */
  responses?: Record<string, string>;
  loopDies?: boolean;
};

/** Runs `.ci/deploy` and returns the calls in order; repeated calls of curl count once. */
async function deploy(stage: string, situation: Situation = {}) {
  const { isDeployed = true, smoke = 0, responses = {}, loopDies = false } = situation;
  const folder = await temporaryFolder();
  const write = (name: string, text: string, mode = 0o644) =>
    writeFileSync(join(folder, name), text, { mode });
  cpSync('.ci/deploy', join(folder, '.ci/deploy'));
  for (const each of ['infra', 'lib']) symlinkSync(resolve(each), join(folder, each));
  const outputs = { [baseAddressOutput]: baseAddress, [alarmTopicOutput]: topic };
  write('outputs.json', JSON.stringify({ [stackName(stage)]: outputs }));
  write(
    'responses',
    Object.entries(responses)
      .map((entry) => `${entry.join(' ')}\n`)
      .join(''),
  );
  for (const name of ['aws', 'curl', 'npm', 'npx', ...(loopDies ? ['sleep'] : [])]) {
    write(name, fake, 0o755);
  }

  const script = spawn(join(folder, '.ci/deploy'), {
    env: {
      PATH: [folder, dirname(process.execPath), process.env.PATH].join(delimiter),
      STAGE: stage,
      SMOKE: String(smoke),
      // The deployment ends after a round of requests, or after the death of their loop.
      AWAITED: isDeployed ? (loopDies ? '^sleep' : `${requests.at(-1)} .*--output`) : '',
      GITHUB_RUN_ID: '1',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'owner/name',
    },
  });
  const [status] = await once(script, 'close');
  const calls = readFileSync(join(folder, 'calls'), 'utf8').split('\n').slice(0, -1);
  return { status, calls: [...new Set(calls)] };
}

const isCurl = (call: string) => call.startsWith('curl');

// The script mostly waits.
describe.concurrent('.ci/deploy', () => {
  it.each(stages)(
    'sends requests that change nothing while $name is deployed, then tries it',
    async ({ name, isDurable }) => {
      const { status, calls } = await deploy(name);

      expect(status).toBe(0);
      expect(calls.filter((call) => !isCurl(call))).toEqual([
        expect.stringContaining(
          `aws cloudformation describe-stacks --stack-name ${stackName(name)} `,
        ),
        `npm run --silent keys -- create --stage ${name} --name deployment 1 --expires-in-days 1`,
        expect.stringContaining(`npx cdk deploy ${stackName(name)} `),
        // Clients of a durable stage must never see the pets of a smoke test.
        `npm run --silent smoke -- --base-url ${baseAddress}${isDurable ? ' --read-only' : ''} ${key}`,
        `npm run --silent keys -- revoke --stage ${name} --id key_1`,
      ]);
      // The key comes from the input, because a list of processes shows arguments.
      const send = 'curl --silent --max-time 10 --request';
      const header = `header = "Authorization: Bearer ${key}"`;
      const inputs = { GET: ` < ${header} `, POST: ` < ${header} json = "{}" ` };
      expect(calls.filter(isCurl)).toEqual(
        ['--write-out  %{http_code}', '--output /dev/null'].flatMap((option) =>
          requests.map((request) => {
            const [method = ''] = request.split(' ');
            const input = inputs[method as keyof typeof inputs] ?? ' < ';
            return `${send} ${request} --config - ${option}${input}`;
          }),
        ),
      );
    },
  );

  it('leaves out the operations that the running stage lacks', async () => {
    const respond = (path: string, code: number) => `${JSON.stringify(routeError(path))} ${code}`;
    const unknown = {
      [`POST ${baseAddress}/pets`]: respond('/v1/pets', 405),
      [`GET ${baseAddress}/pets`]: respond('/v1/none', 404),
    };
    const known = { [`GET ${baseAddress}/pets/1`]: '{"message":"There is no such pet."} 404' };

    const { status, calls } = await deploy('v1-staging', { responses: { ...unknown, ...known } });

    const sent = calls.filter((call) => call.includes('--output /dev/null'));
    expect(sent.map((call) => /(?<=--request )\S+ \S+/.exec(call)?.[0])).toEqual(
      requests.filter((request) => !(request in unknown)),
    );
    expect(status).toBe(0);
  });

  it('succeeds and revokes the key if the loop of requests died', async () => {
    const { status, calls } = await deploy('v1-staging', { loopDies: true });

    expect(calls.some((call) => call.includes('--output /dev/null'))).toBe(false);
    expect(calls.at(-1)).toContain('keys -- revoke');
    expect(status).toBe(0);
  });

  it('issues the key after the first deployment of a stage', async () => {
    const { status, calls } = await deploy('v1-staging', { isDeployed: false });

    expect(status).toBe(0);
    expect(calls.map((call) => /cdk deploy|create|curl|smoke|revoke/.exec(call)?.[0])).toEqual([
      ...[undefined, 'cdk deploy', 'create', 'smoke', 'revoke'],
    ]);
  });

  it('fails and tells the recipient of the alarms if the smoke test fails', async () => {
    const { status, calls } = await deploy('v1-production', { smoke: 1 });

    expect(status).toBe(1);
    const [message, last] = calls.filter((call) => !isCurl(call)).slice(-2);
    expect(message).toMatch(
      new RegExp(`^aws sns publish --topic-arn ${topic} .+/owner/name/actions/runs/1\\.`),
    );
    // AlarmTopic.test.ts finds this section.
    expect(message).toMatch(/docs\/runbook\.md#smoke-test-failed$/);
    expect(last).toContain('keys -- revoke');
  });
});
