import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alarmTopicOutput, baseAddressOutput, stackName } from '../infra/stackNames.ts';
import { stages } from '../infra/stages.ts';
import { operationEntries } from '../lib/operations.ts';
import { durableName, otherName } from './helpers/bareStage.ts';
import { temporaryFolder } from './helpers/npmScript.ts';

const baseAddress = 'https://api.example.com/v1';
const topic = 'arn:aws:sns:eu-central-1:111122223333:AlarmTopic';
const key = 'ps_v1_staging_secret';

/** Replaces each program that the script calls. It logs its call, and the input of curl. */
const fake = `#!/usr/bin/env bash
call="\${0##*/} $*"
[[ $call == curl* ]] && call="$call < $(tr '\\n' ' ')"
[[ $call == npm*' smoke '* ]] && call="$call $PETSTORE_API_KEY"
echo "$call" >>calls
case $call in
  'aws cloudformation describe-stacks'*)
    [ "$STACK_ERROR" ] && { echo "An error occurred: $STACK_ERROR" >&2; exit 254; }
    printf '%s\t%s\n' $STACK_STATUS "$ADDRESS" ;;
  'aws cloudformation get-template'*) echo '{"deployed":true}' ;;
  'aws dynamodb'*) printf "$TABLES" ;;
  'npx cdk synth'*) mkdir cdk.out ;;
  *check:update*) exit "$CHECK" ;;
  *'keys -- create'*) printf 'API key  ${key}\\nID       key_1\\n' ;;
  sleep*) exit 1 ;;
  'npx cdk deploy'*) for _ in {1..99}; do grep -q "$AWAITED" calls && break; /bin/sleep 0.1; done; /bin/sleep 0.1 ;;
  npm*' smoke '*) exit "$SMOKE" ;;
esac`;

/** `GET https://api.example.com/v1/pets/1` and so on, in order. A write has an id that no schema accepts. */
const requests = operationEntries.map(([, { method, path }]) => {
  const id = method === 'GET' ? '1' : '~';
  return `${method} ${baseAddress}${path.replaceAll(/\{\w+\}/g, id)}`;
});

type Situation = {
  /** The status of the stack, or the error of CloudFormation. */
  stack?: { status: string } | { error: string };
  /** The tables of the account whose names begin like those of the stack. */
  tables?: string[];
  /** The exit codes of the check and the smoke test. */
  check?: number;
  smoke?: number;
  /** Whether the loop of requests ends before the deployment. */
  loopDies?: boolean;
  /** A text that replaces lib/operations.ts, and a part of its last request. */
  operations?: string;
  lastRequest?: string;
};

const noStack = { error: `Stack with id ${stackName(durableName)} does not exist` };

/** Runs `.ci/deploy` and returns the calls in order; repeated calls of curl count once. */
async function deploy(stage: string, situation: Situation = {}) {
  const { stack = { status: 'UPDATE_COMPLETE' }, tables = [], loopDies = false } = situation;
  const { check = 0, smoke = 0, operations, lastRequest = `${requests.at(-1)} ` } = situation;
  const isDeployed = 'status' in stack && stack.status === 'UPDATE_COMPLETE';
  const folder = await temporaryFolder();
  const write = (name: string, text: string, mode = 0o644) =>
    writeFileSync(join(folder, name), text, { mode });
  cpSync('.ci/deploy', join(folder, '.ci/deploy'));
  for (const each of ['infra', ...(operations ? [] : ['lib'])]) {
    symlinkSync(resolve(each), join(folder, each));
  }
  if (operations) {
    mkdirSync(join(folder, 'lib'));
    write('lib/operations.ts', operations);
  }
  const outputs = { [baseAddressOutput]: baseAddress, [alarmTopicOutput]: topic };
  write('outputs.json', JSON.stringify({ [stackName(stage)]: outputs }));
  for (const name of ['aws', 'curl', 'npm', 'npx', ...(loopDies ? ['sleep'] : [])]) {
    write(name, fake, 0o755);
  }

  const script = spawn(join(folder, '.ci/deploy'), {
    env: {
      PATH: [folder, dirname(process.execPath), process.env.PATH].join(delimiter),
      STAGE: stage,
      STACK_ERROR: 'error' in stack ? stack.error : '',
      STACK_STATUS: 'status' in stack ? stack.status : '',
      ADDRESS: isDeployed ? baseAddress : 'None',
      TABLES: tables.join('\\t'),
      CHECK: String(check),
      SMOKE: String(smoke),
      // The deployment ends after a round of requests, or after the death of their loop.
      AWAITED: isDeployed ? (loopDies ? '^sleep' : lastRequest) : '',
      GITHUB_RUN_ID: '1',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'owner/name',
    },
  });
  let output = '';
  for (const stream of [script.stdout, script.stderr])
    stream.on('data', (text) => (output += text));
  const [status] = await once(script, 'close');
  const calls = readFileSync(join(folder, 'calls'), 'utf8').split('\n').slice(0, -1);
  return { status, output, calls: [...new Set(calls)] };
}

const isCurl = (call: string) => call.startsWith('curl');

// The tests run at once, because the script mostly waits.
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
        `npx cdk synth ${stackName(name)} --quiet --no-notices`,
        expect.stringContaining(
          `get-template --stack-name ${stackName(name)} --query TemplateBody`,
        ),
        `npm run --silent check:update -- cdk.out/deployed.json cdk.out/${stackName(name)}.template.json`,
        `npm run --silent keys -- create --stage ${name} --name deployment 1 --expires-in-days 1`,
        expect.stringContaining(`npx cdk deploy ${stackName(name)} --app cdk.out `),
        // Clients of a durable stage must never see the pets of a smoke test.
        `npm run --silent smoke -- --base-url ${baseAddress}${isDurable ? ' --read-only' : ''} ${key}`,
        `npm run --silent keys -- revoke --stage ${name} --id key_1`,
      ]);
      // The key comes from the input, because a list of processes shows arguments.
      const send = 'curl --silent --max-time 10 --request';
      const header = `header = "Authorization: Bearer ${key}"`;
      const bodies = operationEntries.map(([, { input }]) => (input.body ? 'json = "{}" ' : ''));
      expect(calls.filter(isCurl)).toEqual(
        requests.map(
          (request, n) =>
            `${send} ${request} --config - --output /dev/null < ${header} ${bodies[n]}`,
        ),
      );
    },
  );

  it('sends a write with its key only if a schema refuses its id or its body', async () => {
    const refuses = '{ safeParse: () => ({ success: false }) }';
    const accepts = '{ safeParse: () => ({ success: true }) }';
    const { calls } = await deploy(otherName, {
      operations: `export const operations = {
        deletePet: { method: 'DELETE', path: '/pets/{petId}', input: { path: {
          safeParse: ({ petId }) => ({ success: petId !== '~' }) } } },
        putName: { method: 'PUT', path: '/names/{name}', input: { path: ${accepts}, body: ${refuses} } },
        sell: { method: 'POST', path: '/names/{name}/sales', input: { path: ${accepts} } },
        end: { method: 'POST', path: '/end', input: { body: ${accepts} } },
      };`,
      lastRequest: '/end',
    });

    const header = `header = "Authorization: Bearer ${key}"`;
    const inputs = calls.filter(isCurl).map((call) => /\/v1\/(\S+).+ < (.*)$/.exec(call)?.slice(1));
    expect(inputs).toEqual([
      ['pets/~', `${header} `],
      ['names/~', `${header} json = "{}" `],
      ['names/~/sales', ''],
      ['end', 'json = "{}" '],
    ]);
  });

  it('deploys nothing if the update would break a version that still runs', async () => {
    const { status, calls } = await deploy(otherName, { check: 1 });

    expect(status).toBe(1);
    expect(calls.at(-1)).toContain('check:update');
  });

  it('succeeds and revokes the key if the loop of requests died', async () => {
    const { status, calls } = await deploy(otherName, { loopDies: true });

    expect(calls.some((call) => call.includes('--output /dev/null'))).toBe(false);
    expect(calls.at(-1)).toContain('keys -- revoke');
    expect(status).toBe(0);
  });

  it.each([noStack, { status: 'ROLLBACK_COMPLETE' }, { status: 'REVIEW_IN_PROGRESS' }])(
    'issues the key after the first deployment of a stage, and checks no update: %j',
    async (stack) => {
      const { status, calls, output } = await deploy(durableName, { stack });

      expect(status).toBe(0);
      expect(
        calls.map((call) => /synth|cdk deploy|create|curl|check|smoke|revoke/.exec(call)?.[0]),
      ).toEqual([undefined, undefined, 'synth', 'cdk deploy', 'create', 'smoke', 'revoke']);
      expect(output).toContain(`There is no stack ${stackName(durableName)} yet`);
    },
  );

  it.each([noStack, { status: 'ROLLBACK_COMPLETE' }])(
    'deploys no second production if its tables are left: %j',
    async (stack) => {
      const [pets, apiKeys] = ['Pets118546E0-1ABC', 'ApiKeys3BB3983D-2DEF'].map(
        (name) => `${stackName(durableName)}-${name}`,
      );

      const { status, calls, output } = await deploy(durableName, {
        stack,
        tables: [String(pets), String(apiKeys)],
      });

      expect(status).toBe(1);
      expect(calls.at(-1)).toMatch(/^aws dynamodb list-tables /);
      expect(output).toContain(`but its tables are left: ${pets} ${apiKeys}. `);
    },
  );

  it.each([
    [durableName, `${stackName(durableName)}-eu-Pets118546E0-1ABC`],
    [otherName, `${stackName(otherName)}-Pets118546E0-1ABC`],
  ])('deploys %s, without a stack, beside the table %s', async (stage, table) => {
    const { status } = await deploy(stage, { stack: noStack, tables: [table] });

    expect(status).toBe(0);
  });

  it('deploys nothing if CloudFormation does not say whether the stack exists', async () => {
    const { status, calls, output } = await deploy(durableName, {
      stack: { error: 'AccessDenied' },
    });

    expect([status, calls.length]).toEqual([1, 1]);
    expect(output).toContain('AccessDenied');
  });

  it.each([
    [1, 'breaks a promise'],
    // `npm run smoke -- --help` explains the exit codes.
    [3, 'is not judged: the database failed, and every failure is a 503'],
    [2, 'is not judged: the test could not run'],
  ])(
    'fails and tells the recipient of the alarms, if the smoke test exits with %i, that the new version %s',
    async (smoke, verdict) => {
      const { status, calls } = await deploy(durableName, { smoke });

      expect(status).toBe(1);
      const [message, last] = calls.filter((call) => !isCurl(call)).slice(-2);
      expect(message).toMatch(RegExp(`^aws sns publish --topic-arn ${topic} `));
      // AlarmTopic.test.ts finds this section.
      const end = `, and ${verdict}: https://github.com/owner/name/actions/runs/1. Urgent: respond now. Runbook: docs/runbook.md#smoke-test-failed`;
      expect(message?.slice(-end.length)).toBe(end);
      expect(last).toContain('keys -- revoke');
    },
  );
});
