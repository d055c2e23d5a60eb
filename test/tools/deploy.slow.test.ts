import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { baseAddressOutput, stackName, tableName } from '../../infra/core/stackNames.ts';
import type { Stage } from '../../infra/stageSchema.ts';
import { stages } from '../../infra/stages.ts';
import { operationEntries } from '../../lib/operations.ts';
import { type TableName, tables } from '../../lib/tables.ts';
import { durableName, otherName } from '../helpers/bareStage.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';

const baseAddress = 'https://api.example.com/v1';
const topic = 'arn:aws:sns:eu-central-1:111122223333:AlarmTopic';
const key = 'ps_v1_staging_secret';

const valuesOfOutputs = { [baseAddressOutput]: baseAddress, AlarmTopicArn: topic };
const deployed = JSON.parse(readFileSync(`infra/templates/${stackName(durableName)}.json`, 'utf8'));

/** Replaces each program that the script calls. It logs its call, its Region, and the input of curl. */
const fake = `#!/usr/bin/env bash
call="\${0##*/} $*"
[[ $call == curl* ]] && call="$call < $(tr '\\n' ' ')"
[[ $call == npm*' smoke '* ]] && call="$call $PETSTORE_API_KEY"
echo "$call" >>calls
echo "$AWS_REGION $AWS_DEFAULT_REGION" >>regions
case $call in
  'aws cloudformation describe-stacks'*)
    [ "$STACK_ERROR" ] && { echo "An error occurred: $STACK_ERROR" >&2; exit 254; }
    printf '%s\t%s\n' $STACK_STATUS "$ADDRESS" ;;
  'aws cloudformation get-template'*) cat "$TEMPLATES/$4.json" ;;
  # AWS prints None for a table without an index.
  'aws dynamodb describe-table'*-Pets' '*) printf "$INDEXES\\n" ;;
  'aws dynamodb describe-table'*) printf "$OTHER_INDEXES\\n" ;;
  'npx cdk synth'*) mkdir cdk.out ;;
  *check:update*) exit "$CHECK" ;;
  *'keys -- create'*) printf 'API key  ${key}\\nID       key_1\\n' ;;
  sleep*) exit 1 ;;
  'npx cdk deploy'*)
    echo "$OUTPUTS" >cdk.out/outputs.json
    for _ in {1..99}; do grep -q "$AWAITED" calls && break; /bin/sleep 0.1; done; /bin/sleep 0.1 ;;
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
  /** The exit codes of the check and the smoke test. */
  check?: number;
  smoke?: number;
  /** Whether the loop of requests ends before the deployment. */
  loopDies?: boolean;
  /** A text that replaces lib/operations.ts, and a part of its last request. */
  operations?: string;
  lastRequest?: string;
  /** The account of the stage, instead of the one in infra/stages.ts. */
  account?: Stage['account'];
  environment?: Record<string, string>;
};

const onGitHub = {
  GITHUB_ACTIONS: 'true',
  GITHUB_RUN_ID: '1',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'owner/name',
};

const pets = tableName(durableName, 'pets');

const noStack = { error: `Stack with id ${stackName(durableName)} does not exist` };

/** Runs the script and returns the calls in order; repeated calls of curl count once. */
async function deploy(args: string | string[], situation: Situation = {}) {
  const [stage = ''] = [args].flat();
  const { stack = { status: 'UPDATE_COMPLETE' }, account, environment } = situation;
  const { check = 0, smoke = 0, loopDies = false, operations } = situation;
  const { lastRequest = `${requests.at(-1)} ` } = situation;
  const isDeployed = 'status' in stack && stack.status === 'UPDATE_COMPLETE';
  const folder = await temporaryFolder();
  const write = (name: string, text: string, mode = 0o644) =>
    writeFileSync(join(folder, name), text, { mode });
  const settings = account && `export const settingsOf = () => (${JSON.stringify({ account })});`;
  for (const [file, text] of [
    ['lib/operations.ts', operations],
    ['infra/stages.ts', settings],
  ] as const) {
    if (text) {
      mkdirSync(join(folder, dirname(file)));
      write(file, text);
    } else {
      symlinkSync(resolve(dirname(file)), join(folder, dirname(file)));
    }
  }
  symlinkSync(resolve('tools'), join(folder, 'tools'));
  const outputs = Object.fromEntries(
    Object.entries(valuesOfOutputs).filter(([name]) => name in deployed.Outputs),
  );
  for (const name of ['aws', 'curl', 'npm', 'npx', ...(loopDies ? ['sleep'] : [])]) {
    write(name, fake, 0o755);
  }
  for (const log of ['calls', 'regions']) write(log, '');

  const script = spawn(join(folder, 'tools/deploy.sh'), [args].flat(), {
    env: {
      PATH: [folder, dirname(process.execPath), process.env.PATH].join(delimiter),
      STACK_ERROR: 'error' in stack ? stack.error : '',
      STACK_STATUS: 'status' in stack ? stack.status : '',
      ADDRESS: isDeployed ? baseAddress : 'None',
      CHECK: String(check),
      SMOKE: String(smoke),
      TEMPLATES: resolve('infra/templates'),
      INDEXES: 'byStatus\\tACTIVE',
      OTHER_INDEXES: 'None',
      OUTPUTS: JSON.stringify({ [stackName(stage)]: outputs }),
      // The deployment ends after a round of requests, or after the death of their loop.
      AWAITED: isDeployed ? (loopDies ? '^sleep' : lastRequest) : '',
      ...environment,
    },
  });
  let output = '';
  for (const stream of [script.stdout, script.stderr])
    stream.on('data', (text) => (output += text));
  const [status] = await once(script, 'close');
  const logged = (log: string) => [
    ...new Set(readFileSync(join(folder, log), 'utf8').split('\n').slice(0, -1)),
  ];
  return { status, output, calls: logged('calls'), regions: logged('regions') };
}

const isCurl = (call: string) => call.startsWith('curl');

// The tests run at once, because the script mostly waits.
describe.concurrent('npm run deploy', { timeout: 60_000 }, () => {
  it.each(stages)(
    'sends requests that change nothing while $name is deployed, then tries it',
    async ({ name, isDurable }) => {
      const { status, calls } = await deploy(name);

      expect(status).toBe(0);
      expect(calls.filter((call) => !isCurl(call))).toEqual([
        expect.stringContaining(
          `aws cloudformation describe-stacks --stack-name ${stackName(name)} `,
        ),
        expect.stringContaining(
          `get-template --stack-name ${stackName(name)} --query TemplateBody`,
        ),
        ...(Object.keys(tables) as TableName[])
          .sort()
          .map((table) =>
            expect.stringContaining(`describe-table --table-name ${tableName(name, table)} `),
          ),
        `npx cdk synth ${stackName(name)} --quiet --no-notices`,
        expect.stringMatching(
          `^npm run --silent check:update -- .+/deployed.json cdk.out/${stackName(name)}.template.json$`,
        ),
        `npm run --silent keys -- create --stage ${name} --name deployment by hand --expires-in-days 1`,
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

  it.each([
    noStack,
    ...['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'REVIEW_IN_PROGRESS'].map((status) => ({ status })),
  ])(
    'issues the key after the first deployment of a stage, and checks no update: %j',
    async (stack) => {
      const { status, calls, output } = await deploy(durableName, { stack });

      expect(status).toBe(0);
      expect(
        calls.map((call) => /synth|cdk deploy|create|curl|check|smoke|revoke/.exec(call)?.[0]),
      ).toEqual([undefined, 'synth', 'cdk deploy', 'create', 'smoke', 'revoke']);
      expect(output).toContain(`There is no stack ${stackName(durableName)} yet`);
    },
  );

  it('deploys nothing if CloudFormation does not say whether the stack exists', async () => {
    const { status, calls, output } = await deploy(durableName, {
      stack: { error: 'AccessDenied' },
    });

    expect([status, calls.length]).toEqual([1, 1]);
    expect(output).toContain('AccessDenied');
  });

  it('deploys nothing while the stack is being deleted', async () => {
    const { status, calls, output } = await deploy(durableName, {
      stack: { status: 'DELETE_IN_PROGRESS' },
    });

    expect([status, calls.length]).toEqual([1, 1]);
    expect(output).toContain(`wait stack-delete-complete --stack-name ${stackName(durableName)}\n`);
  });

  it('uses the Region of the settings everywhere, and not AWS_REGION', async () => {
    const environment = { AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-east-1' };

    const ofSettings = await deploy(otherName, { account: { region: 'eu-west-1' }, environment });
    const ofShell = await deploy(otherName, { account: {}, environment });

    expect([ofSettings.status, ofShell.status]).toEqual([0, 0]);
    expect(ofSettings.regions).toEqual(['eu-west-1 eu-west-1']);
    expect(ofShell.regions).toEqual(['us-east-1 us-east-1']);
  });

  it.each([
    ['CREATING', 'byStatus', 'The index byStatus of'],
    ['ACTIVE', 'byWalker', `update-table --table-name ${pets} --global-secondary-index-updates`],
    ['DELETING', 'byWalker', 'The index byWalker of'],
  ])('deploys nothing while an index is %s: %s', async (state, index, advice) => {
    const { status, calls, output } = await deploy(durableName, {
      environment: { INDEXES: `byStatus\\tACTIVE\\n${index}\\t${state}` },
    });

    expect(status).toBe(1);
    expect(calls.at(-1)).toMatch(`aws dynamodb describe-table --table-name ${pets} `);
    expect(output).toContain(advice);
  });

  it('deploys nothing while a rollback has left the first index of a table', async () => {
    const { status, calls, output } = await deploy(durableName, {
      environment: { OTHER_INDEXES: 'byStatus\\tACTIVE' },
    });

    expect(status).toBe(1);
    expect(calls.at(-1)).toContain('aws dynamodb describe-table ');
    expect(output).toContain(`left the index byStatus of ${tableName(durableName, 'apiKeys')},`);
  });

  it('deploys nothing if npm took --direct for itself, as it does without --', async () => {
    const result = await deploy(durableName, { environment: { npm_config_direct: 'true' } });

    expect(result).toMatchObject({ status: 1, calls: [] });
    expect(result.output).toContain('Put -- before the stage.');
  });

  it('synthesises a direct release with --direct', async () => {
    const { status, calls } = await deploy([durableName, '--direct']);

    expect(status).toBe(0);
    expect(calls).toContain(
      `npx cdk synth ${stackName(durableName)} -c direct=true --quiet --no-notices`,
    );
  });

  it('masks its API key in the log of GitHub, and prints no key by hand', async () => {
    const byHand = await deploy(otherName);
    const masked = await deploy(otherName, { environment: onGitHub });

    expect(byHand.output).not.toContain(key);
    expect(masked.output.match(RegExp(`.*${key}.*`, 'g'))).toEqual([`::add-mask::${key}`]);
    expect(masked.calls).toContainEqual(expect.stringContaining('--name deployment 1 '));
  });

  it.each<[args: string[], status: number, output: string]>([
    [['--help'], 0, 'npm run deploy -- <stage>'],
    [[], 2, 'npm run deploy -- <stage>'],
    [['v1-none'], 2, 'has no stage v1-none'],
    [[durableName, otherName], 2, 'npm run deploy -- <stage>'],
    [['--direct'], 2, 'npm run deploy -- <stage>'],
  ])('calls nothing and says how to use it, with %j', async (args, status, output) => {
    const result = await deploy(args);

    expect(result).toMatchObject({ status, calls: [] });
    expect(result.output).toContain(output);
  });

  it.each([
    [1, 'breaks a promise'],
    // `npm run smoke -- --help` explains the exit codes.
    [3, 'is not judged: the database failed, and every failure is a 503'],
    [2, 'is not judged: the test could not run'],
  ])(
    'fails and tells the recipient of the alarms, if the smoke test exits with %i, that the new version %s',
    async (smoke, verdict) => {
      const { status, calls } = await deploy(durableName, { smoke, environment: onGitHub });

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
