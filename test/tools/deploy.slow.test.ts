import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stackName, tableName } from '../../infra/core/stackNames.ts';
import { stages } from '../../infra/stages.ts';
import { operationEntries } from '../../lib/operations.ts';
import { type TableName, tables } from '../../lib/tables.ts';
import { bareStage, durableName, otherName } from '../helpers/bareStage.ts';
import { baseAddress, key, requests, runDeploy, topic } from '../helpers/runDeploy.ts';
import { production, propertiesOf, synthesise, templateOf } from '../helpers/templates.ts';

const onGitHub = { GITHUB_ACTIONS: 'true', GITHUB_RUN_ID: '1' };

function expectDeployingWorkflow() {
  const workflows = globSync('.github/workflows/*').map((file) => readFileSync(file, 'utf8'));
  const isUsed = workflows.some((text) => text.includes('npm run deploy'));
  expect(isUsed, 'no workflow deploys, so the script needs nothing of GitHub').toBe(true);
}

const pets = tableName(durableName, 'pets');

const noStack = { error: `Stack with id ${stackName(durableName)} does not exist` };

const isCurl = (call: string) => call.startsWith('curl');

// The tests run at once, because the script mostly waits.
describe.concurrent('npm run deploy', { timeout: 60_000 }, () => {
  it.each(stages)(
    'sends requests that change nothing to the canaries of $name, then tries it',
    async ({ name, isDurable }) => {
      const canaries = propertiesOf(production, 'AWS::CodeDeploy::DeploymentGroup');
      expect(canaries, 'without a canary, the script needs no requests').not.toEqual([]);

      const { status, calls } = await runDeploy(name);

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
    const { calls } = await runDeploy(otherName, {
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
    const { status, calls } = await runDeploy(otherName, { check: 1 });

    expect(status).toBe(1);
    expect(calls.at(-1)).toContain('check:update');
  });

  it('succeeds and revokes the key if the loop of requests died', async () => {
    const { status, calls } = await runDeploy(otherName, { loopDies: true });

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
      const { status, calls, output } = await runDeploy(durableName, { stack });

      expect(status).toBe(0);
      expect(
        calls.map((call) => /synth|cdk deploy|create|curl|check|smoke|revoke/.exec(call)?.[0]),
      ).toEqual([undefined, 'synth', 'cdk deploy', 'create', 'smoke', 'revoke']);
      expect(output).toContain(`There is no stack ${stackName(durableName)} yet`);
    },
  );

  it('deploys nothing if CloudFormation does not say whether the stack exists', async () => {
    const { status, calls, output } = await runDeploy(durableName, {
      stack: { error: 'AccessDenied' },
    });

    expect([status, calls.length]).toEqual([1, 1]);
    expect(output).toContain('AccessDenied');
  });

  it('deploys nothing while the stack is being deleted', async () => {
    const { status, calls, output } = await runDeploy(durableName, {
      stack: { status: 'DELETE_IN_PROGRESS' },
    });

    expect([status, calls.length]).toEqual([1, 1]);
    expect(output).toContain(`wait stack-delete-complete --stack-name ${stackName(durableName)}\n`);
  });

  it('uses the Region of the settings everywhere, and not AWS_REGION', async () => {
    const environment = { AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-east-1' };

    const ofSettings = await runDeploy(otherName, {
      account: { region: 'eu-west-1' },
      environment,
    });
    const ofShell = await runDeploy(otherName, { account: {}, environment });

    expect([ofSettings.status, ofShell.status]).toEqual([0, 0]);
    expect(ofSettings.regions).toEqual(['eu-west-1 eu-west-1']);
    expect(ofShell.regions).toEqual(['us-east-1 us-east-1']);
  });

  it.each([
    ['CREATING', 'byStatus', 'The index byStatus of'],
    ['ACTIVE', 'byWalker', `update-table --table-name ${pets} --global-secondary-index-updates`],
    ['DELETING', 'byWalker', 'The index byWalker of'],
  ])('deploys nothing while an index is %s: %s', async (state, index, advice) => {
    const { status, calls, output } = await runDeploy(durableName, {
      environment: { INDEXES: `byStatus\\tACTIVE\\n${index}\\t${state}` },
    });

    expect(status).toBe(1);
    expect(calls.at(-1)).toMatch(`aws dynamodb describe-table --table-name ${pets} `);
    expect(output).toContain(advice);
  });

  it('deploys nothing while a rollback has left the first index of a table', async () => {
    const { status, calls, output } = await runDeploy(durableName, {
      environment: { OTHER_INDEXES: 'byStatus\\tACTIVE' },
    });

    expect(status).toBe(1);
    expect(calls.at(-1)).toContain('aws dynamodb describe-table ');
    expect(output).toContain(`left the index byStatus of ${tableName(durableName, 'apiKeys')},`);
  });

  it('deploys nothing if npm took --direct for itself, as it does without --', async () => {
    const result = await runDeploy(durableName, { environment: { npm_config_direct: 'true' } });

    expect(result).toMatchObject({ status: 1, calls: [] });
    expect(result.output).toContain('Put -- before the stage.');
  });

  it('synthesises a direct release with --direct', async () => {
    const { status, calls } = await runDeploy([durableName, '--direct']);

    expect(status).toBe(0);
    expect(calls).toContain(
      `npx cdk synth ${stackName(durableName)} -c direct=true --quiet --no-notices`,
    );
    const app = synthesise([bareStage(durableName)], undefined, undefined, { direct: 'true' });
    const direct = templateOf(app, stackName(durableName)).toJSON();
    const isSame = JSON.stringify(direct) === JSON.stringify(production.toJSON());
    expect(isSame, 'no stack reads the context of --direct').toBe(false);
  });

  it('masks its API key in the log of GitHub, and prints no key by hand', async () => {
    const byHand = await runDeploy(otherName);
    const masked = await runDeploy(otherName, { environment: onGitHub });

    expectDeployingWorkflow();
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
    const result = await runDeploy(args);

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
      const repository = {
        GITHUB_SERVER_URL: 'https://github.com',
        GITHUB_REPOSITORY: 'owner/name',
      };
      const environment = { ...onGitHub, ...repository };
      expectDeployingWorkflow();

      const { status, calls } = await runDeploy(durableName, { smoke, environment });

      expect(status).toBe(1);
      const [message, last] = calls.filter((call) => !isCurl(call)).slice(-2);
      expect(message).toMatch(RegExp(`^aws sns publish --topic-arn ${topic} `));
      const end = `, and ${verdict}: https://github.com/owner/name/actions/runs/1. Urgent: respond now. Runbook: docs/runbook.md#smoke-test-failed`;
      expect(message?.slice(-end.length)).toBe(end);
      expect(last).toContain('keys -- revoke');
    },
  );
});
