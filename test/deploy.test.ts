import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alarmTopicOutput, baseAddressOutput, stackName, stages } from '../infra/stages.ts';
import { operations } from '../lib/operations.ts';
import { temporaryFolder } from './helpers/npmScript.ts';

const baseAddress = 'https://api.example.com/v1';
const topic = 'arn:aws:sns:eu-central-1:111122223333:AlarmTopic';
const key = 'ps_v1_staging_secret';

/** Stands for each program that the script calls. It logs its call and, of curl, the input. */
const fake = `#!/usr/bin/env bash
call="$(basename "$0") $*"
[[ $call == curl* ]] && call="$call < $(cat)"
[[ $call == npm*' smoke '* ]] && call="$call $PETSTORE_API_KEY"
echo "$call" >>calls
case $call in
  'aws cloudformation'*) [ -z "$DEPLOYED" ] && exit 254 || echo ${baseAddress} ;;
  *'keys -- create'*) printf 'API key  ${key}\\nID       key_1\\n' ;;
  npx*) while [ -n "$DEPLOYED" ] && [ "$(grep -c '^curl' calls)" -lt 6 ]; do sleep 0.1; done ;;
  npm*' smoke '*) exit "$SMOKE" ;;
esac`;

/** Runs `.ci/deploy` and returns the calls in order; repeated calls of curl count once. */
async function deploy(stage: string, { isDeployed = true, smoke = 0 } = {}) {
  const folder = await temporaryFolder();
  cpSync('.ci/deploy', join(folder, '.ci/deploy'));
  for (const each of ['infra', 'lib']) symlinkSync(resolve(each), join(folder, each));
  const outputs = { [baseAddressOutput]: baseAddress, [alarmTopicOutput]: topic };
  writeFileSync(join(folder, 'outputs.json'), JSON.stringify({ [stackName(stage)]: outputs }));
  for (const name of ['aws', 'curl', 'npm', 'npx']) {
    writeFileSync(join(folder, name), fake);
    chmodSync(join(folder, name), 0o755);
  }

  const { status } = spawnSync(join(folder, '.ci/deploy'), {
    env: {
      PATH: [folder, dirname(process.execPath), process.env.PATH].join(delimiter),
      STAGE: stage,
      DEPLOYED: isDeployed ? 'yes' : '',
      SMOKE: String(smoke),
      GITHUB_RUN_ID: '1',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'owner/name',
    },
  });
  const calls = readFileSync(join(folder, 'calls'), 'utf8').split('\n').slice(0, -1);
  return { status, calls: [...new Set(calls)] };
}

const isCurl = (call: string) => call.startsWith('curl');

describe('.ci/deploy', () => {
  it.each(stages)(
    'sends reads with a key while $name is deployed, then tries it',
    async (stage) => {
      const { name, isDurable } = stage;

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
      const send = `curl --silent --max-time 10 --output /dev/null --request`;
      // The key comes from the input, because a list of processes shows arguments.
      const header = `header = "Authorization: Bearer ${key}"`;
      expect(calls.filter(isCurl)).toEqual(
        Object.values(operations).map(({ method, path }) => {
          const address = `${baseAddress}${path.replace(/\{\w+\}/, '1')}`;
          return `${send} ${method} ${address} --config - < ${method === 'GET' ? header : ''}`;
        }),
      );
    },
  );

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
    const [message = '', last] = calls.filter((call) => !isCurl(call)).slice(-2);
    expect(message).toMatch(
      new RegExp(`^aws sns publish --topic-arn ${topic} .+/owner/name/actions/runs/1\\.`),
    );
    const [, anchor = ''] = /docs\/runbook\.md#([\w-]+)$/.exec(message) ?? [];
    const headings = readFileSync('docs/runbook.md', 'utf8').match(/^### .+$/gm) ?? [];
    expect(
      headings.map((heading) => heading.slice(4).toLowerCase().replaceAll(' ', '-')),
    ).toContain(anchor);
    expect(last).toContain('keys -- revoke');
  });
});
