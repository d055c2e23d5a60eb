import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { describeStacksAnswer } from '../helpers/describeStacksAnswer.ts';
import { listen } from '../helpers/listen.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';

const apiKey = createApiKey('v1-staging');

type Script = {
  /** What every other answer is while `cdk` runs; the rest are 200, as in a canary. */
  during: number;
  /** What every answer is when `cdk` has ended. */
  after: number;
  cdkExitCode: number;
  /** Whether the service answers 200 before. */
  before?: number;
};

/** Runs the drill against a stand-in for the service and CloudFormation, with a `cdk` of the test. */
async function drill(script: Script, ...args: string[]) {
  let phase: 'before' | 'during' | 'after' = 'before';
  let answers = 0;
  const origin: string = await listen(async (request, response) => {
    if (request.url?.startsWith('/phase/')) {
      phase = request.url.slice(7) as typeof phase;
      response.end();
    } else if (request.url === '/v1/pets?limit=1') {
      answers += 1;
      const isStranger = request.headers.authorization !== `Bearer ${apiKey}`;
      const isGood = phase === 'during' && answers % 2 === 0;
      const status = { before: 200, ...script }[phase];
      response.writeHead(isStranger ? 401 : isGood ? 200 : status).end('[]');
    } else {
      const asked = await text(request);
      response
        .writeHead(asked.includes('StackName=PetStore-v1-staging') ? 200 : 400)
        .end(describeStacksAnswer('BaseAddress', `${origin}/v1`));
    }
  });
  const folder = await temporaryFolder();
  await writeFile(
    join(folder, 'cdk'),
    `#!${process.execPath}
const { writeFileSync } = require('node:fs');
writeFileSync(${JSON.stringify(join(folder, 'args'))}, JSON.stringify(process.argv.slice(2)));
console.log('output of cdk');
main();
async function main() {
  await fetch('${origin}/phase/during');
  await new Promise((resolve) => setTimeout(resolve, 300));
  await fetch('${origin}/phase/after');
  process.exit(${script.cdkExitCode});
}
`,
  );
  await chmod(join(folder, 'cdk'), 0o755);
  const child = spawn(
    process.execPath,
    ['infra/tools/rollbackDrill.ts', '--every-ms', '5', ...args],
    {
      env: {
        ...process.env,
        PATH: `${folder}${delimiter}${process.env.PATH}`,
        AWS_ENDPOINT_URL_CLOUDFORMATION: origin,
      },
    },
  );
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  const cdkArgs = await readFile(join(folder, 'args'), 'utf8').then(JSON.parse, () => undefined);
  return { exitCode, stdout, stderr, cdkArgs };
}

describe('npm run rollback-drill', () => {
  it('passes when the release is turned back and the service answers again', async () => {
    const { exitCode, stdout, stderr, cdkArgs } = await drill(
      { during: 500, after: 200, cdkExitCode: 1 },
      '--api-key',
      apiKey,
      '--',
      '-c',
      'alarmEmail=ops@example.com',
    );

    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('output of cdk');
    expect(stdout).toMatch(/^ {3}0 s {2}\d+ requests, [1-9]\d* failed \(\d+\.\d %\)$/m);
    expect(stdout).toMatch(/^[1-9]\d* of \d+ requests failed \(\d+\.\d %\)\.$/m);
    expect(cdkArgs).toEqual([
      'deploy',
      'PetStore-v1-staging',
      '-c',
      'fault=on',
      '--require-approval',
      'never',
      '--no-notices',
      '-c',
      'alarmEmail=ops@example.com',
    ]);
  });

  it('fails, and says that the service is broken, when nothing turned the release back', async () => {
    const { exitCode, stderr } = await drill(
      { during: 500, after: 500, cdkExitCode: 0 },
      '--api-key',
      apiKey,
    );

    expect(exitCode).toBe(1);
    expect(stderr).toContain('PetStore-v1-staging FAILS NOW');
  });

  it('fails when the deployment ended before any request failed', async () => {
    const { exitCode, stderr } = await drill(
      { during: 200, after: 200, cdkExitCode: 1 },
      '--api-key',
      apiKey,
    );

    expect(exitCode).toBe(1);
    expect(stderr).toContain('nothing was tried');
  });

  it('fails when the release was turned back, and the service is ill nevertheless', async () => {
    const { exitCode, stderr } = await drill(
      { during: 500, after: 503, cdkExitCode: 1 },
      '--recover-in-seconds',
      '1',
      '--api-key',
      apiKey,
    );

    expect(exitCode).toBe(1);
    expect(stderr).toContain('The deployment failed, but the service answers 503');
  });

  it('does not begin where the service is not well', async () => {
    const { exitCode, stderr, cdkArgs } = await drill(
      { before: 503, during: 500, after: 200, cdkExitCode: 1 },
      '--api-key',
      apiKey,
    );

    expect(exitCode).toBe(1);
    expect(stderr).toContain('answers 503 before the drill begins');
    expect(cdkArgs).toBeUndefined();
  });

  it.each([
    [
      ['--stage', 'v1-production', '--api-key', createApiKey('v1-production')],
      'v1-production is no stage that allows faults.',
    ],
    [['--stage', 'v2'], 'v2 is no stage that allows faults.'],
    [['--api-key', createApiKey('v1-production')], '--api-key takes a key of v1-staging.'],
    [[], '--api-key takes a key of v1-staging.'],
    [['--api-key', apiKey, '--every-ms', 'soon'], '--every-ms takes a whole number'],
  ])('refuses %j before it deploys', async (args, message) => {
    const { exitCode, stderr, cdkArgs } = await drill(
      { during: 500, after: 200, cdkExitCode: 1 },
      ...args,
    );

    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
    expect(cdkArgs).toBeUndefined();
  });
});
