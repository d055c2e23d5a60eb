import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { rollbackDrill } from '../../infra/tools/rollbackDrill.ts';
import { createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { describeStacksResponse } from '../helpers/describeStacksResponse.ts';
import { listen } from '../helpers/listen.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const apiKey = createApiKey('v1-staging');

type Script = {
  /** The status before `cdk` runs. */
  before?: number;
  /** The status of every other response while `cdk` runs. The rest are 200, as in a canary. */
  during?: number;
  /** The status after `cdk` has ended. */
  after?: number;
  cdkExitCode?: number;
  cdkOutput?: string;
};

/** A deployment that ends when the service has had this many requests. */
const requestsOfDeployment = 10;

/** Fakes CloudFormation, the service and the `cdk` command. */
async function fakeStage(script: Script) {
  const { before = 200, during = 500, after = 200, cdkExitCode = 1, cdkOutput = '' } = script;
  let status = before;
  let requests = 0;
  let cdkArgs: string[] | undefined;
  let endDeployment = () => {};
  const origin: string = await listen(async (request, response) => {
    const body = await text(request);
    if (request.url === '/deploy') {
      cdkArgs = JSON.parse(body);
      requests = 0;
      status = during;
      endDeployment = () => {
        status = after;
        response.end(String(cdkExitCode));
      };
    } else if (request.url === '/v1/pets?limit=1') {
      requests += 1;
      const isFaulty = cdkArgs === undefined || status === after || requests % 2 === 1;
      const hasKey = request.headers.authorization === `Bearer ${apiKey}`;
      response.writeHead(!hasKey ? 401 : isFaulty ? status : 200).end('[]');
      if (requests === requestsOfDeployment) endDeployment();
    } else {
      response
        .writeHead(body.includes('StackName=PetStore-v1-staging') ? 200 : 400)
        .end(describeStacksResponse('BaseAddress', `${origin}/v1`));
    }
  });
  const folder = await temporaryFolder();
  const cdk = `#!${process.execPath}
process.stdout.write(${JSON.stringify(cdkOutput)});
const body = JSON.stringify(process.argv.slice(2));
fetch('${origin}/deploy', { method: 'POST', body })
  .then((response) => response.text())
  .then((exitCode) => process.exit(Number(exitCode)));
`;
  await writeFile(join(folder, 'cdk'), cdk);
  await chmod(join(folder, 'cdk'), 0o755);
  return {
    environment: {
      PATH: `${folder}${delimiter}${process.env.PATH}`,
      AWS_ENDPOINT_URL_CLOUDFORMATION: origin,
    },
    cdkArgs: () => cdkArgs,
  };
}

const withKey = ['--api-key', apiKey, '--every-ms', '5'];

async function drill(script: Script, args: string[] = withKey) {
  const { environment, cdkArgs } = await fakeStage(script);
  const result = await runCommandHere(rollbackDrill, args, environment);
  return { ...result, cdkArgs: cdkArgs() };
}

describe('npm run rollback-drill', () => {
  it('passes if the release is rolled back and the service is healthy again', async () => {
    const { environment, cdkArgs } = await fakeStage({ cdkOutput: 'output of cdk\n' });

    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [
        ...['infra/tools/rollbackDrill.ts', ...withKey],
        ...['--', '-c', 'alarmEmail=ops@example.com'],
      ],
      { env: { ...process.env, ...environment } },
    );

    expect(stderr).toBe('');
    expect(stdout).toContain('output of cdk');
    expect(stdout).toMatch(/^ {3}0 s {2}\d+ requests, [1-9]\d* failed \(\d+\.\d %\)$/m);
    expect(stdout).toMatch(/^[1-9]\d* of \d+ requests failed \(\d+\.\d %\)\.$/m);
    expect(stdout).not.toContain(apiKey);
    expect(cdkArgs()).toEqual([
      ...['deploy', 'PetStore-v1-staging', '-c', 'fault=on'],
      ...['--require-approval', 'never', '--no-notices'],
      ...['-c', 'alarmEmail=ops@example.com'],
    ]);
  });

  it('fails and says that the service is broken if nothing rolls the release back', async () => {
    const { exitCode, stderr } = await drill({ after: 500, cdkExitCode: 0 });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('PetStore-v1-staging FAILS NOW');
  });

  it('fails if the deployment ends before any request fails', async () => {
    const { exitCode, stderr } = await drill({ during: 200 });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('nothing was tested');
  });

  it('fails if the service still fails after the rollback', async () => {
    const args = [...withKey, '--recover-in-seconds', '1'];

    const { exitCode, stderr } = await drill({ after: 503 }, args);

    expect(exitCode).toBe(1);
    expect(stderr).toContain('The deployment failed, but the service returns 503');
  });

  it('does not begin if the service fails', async () => {
    const { exitCode, stderr, cdkArgs } = await drill({ before: 503 });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('returns 503 before the drill begins');
    expect(cdkArgs).toBeUndefined();
  });

  it.each([
    [
      'production',
      ['--stage', 'v1-production', '--api-key', createApiKey('v1-production')],
      'v1-production is not a stage that allows faults.',
    ],
    ['an unknown stage', ['--stage', 'v2'], 'v2 is not a stage that allows faults.'],
    [
      'a key of another stage',
      ['--api-key', createApiKey('v1-production')],
      '--api-key takes a key of v1-staging.',
    ],
    ['no key', [], '--api-key takes a key of v1-staging.'],
  ])('refuses %s before it deploys', async (_, args, message) => {
    const { exitCode, stderr, cdkArgs } = await drill({}, args);

    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
    expect(cdkArgs).toBeUndefined();
  });
});
