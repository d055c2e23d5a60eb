import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isApiKeyOf } from '../../lib/apiKeys/apiKey.ts';
import { outputNames, stackName, stages } from '../stages.ts';
import { probeTraffic, type Tally } from './probeTraffic.ts';
import { stackOutput } from './stackOutput.ts';

const usage = `Deploys a version that fails to a stage, and watches CodeDeploy take it back.

  npm run rollback-drill -- --api-key <key> [options] [-- <options of cdk deploy>]

  --api-key             a live key of the stage
  --stage               a stage that allows faults, which production does not  (v1-staging)
  --every-ms            how often a request is sent                            (200)
  --recover-in-seconds  how soon after the rollback all must be well           (120)

Name the -c options with which the stage is deployed else, or the drill deploys it without them.
It takes about 10 minutes, asks nothing, and needs your own AWS credentials and Region. The exit code
is 0 if the release was turned back and the service answers again.`;

/** In a row: while a tenth of the traffic is at fault, so many are good by chance once in 190 times. */
const goodAnswers = 50;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'api-key': { type: 'string', default: '' },
      stage: { type: 'string', default: 'v1-staging' },
      'every-ms': { type: 'string', default: '200' },
      'recover-in-seconds': { type: 'string', default: '120' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) print(usage);
  else {
    await drill({
      stageName: values.stage,
      apiKey: values['api-key'],
      everyMs: wholeNumber('every-ms', values['every-ms']),
      recoveryMs: 1000 * wholeNumber('recover-in-seconds', values['recover-in-seconds']),
      cdkArgs: positionals,
    });
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

type Drill = {
  stageName: string;
  apiKey: string;
  everyMs: number;
  recoveryMs: number;
  cdkArgs: string[];
};

async function drill({ stageName, apiKey, everyMs, recoveryMs, cdkArgs }: Drill): Promise<void> {
  const stage = stages.find(({ name }) => name === stageName);
  if (!stage?.allowsFault) throw new Error(`${stageName} is no stage that allows faults.`);
  if (!isApiKeyOf(stage.name, apiKey)) throw new Error(`--api-key takes a key of ${stage.name}.`);
  const stack = stackName(stage.name);
  const address = `${await stackOutput(stack, outputNames.baseAddress)}/pets?limit=1`;
  const send = () => statusOf(address, apiKey);

  const before = await send();
  if (before !== 200) throw new Error(`${address} answers ${before} before the drill begins.`);

  print(`Deploying a version of ${stack} that answers every request of a live key with 500.`);
  const ended = new AbortController();
  const probe = probeTraffic({
    send,
    everyMs,
    tallyEverySeconds: 10,
    report: printTally,
    signal: ended.signal,
  });
  const cdkExitCode = await deployFault(stack, cdkArgs).finally(() => ended.abort());
  const { requests, failures } = await probe;
  print(`${failures} of ${requests} requests failed (${percent(failures, requests)}).`);

  if (cdkExitCode === 0) {
    throw new Error(
      `The deployment succeeded: nothing turned it back. ${stack} FAILS NOW: deploy it again without the fault.`,
    );
  }
  if (failures === 0) {
    throw new Error('The deployment failed before the version got any traffic: nothing was tried.');
  }
  await expectRecovery(send, { everyMs, recoveryMs });
  print('The release was turned back, and the service answers.');
}

/** Runs the CDK's command line as people do, and returns its exit code. */
async function deployFault(stack: string, cdkArgs: string[]): Promise<number | null> {
  const options = ['-c', 'fault=on', '--require-approval', 'never', '--no-notices'];
  const cdk = spawn('cdk', ['deploy', stack, ...options, ...cdkArgs], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [exitCode] = await once(cdk, 'exit');
  return exitCode;
}

/** Returns the status, or 0 where there is no answer. */
async function statusOf(address: string, apiKey: string): Promise<number> {
  try {
    const { status, body } = await fetch(address, {
      headers: { Authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(15_000),
    });
    await body?.cancel();
    return status;
  } catch {
    return 0;
  }
}

async function expectRecovery(
  send: () => Promise<number>,
  { everyMs, recoveryMs }: Pick<Drill, 'everyMs' | 'recoveryMs'>,
): Promise<void> {
  const untilMs = performance.now() + recoveryMs;
  let inARow = 0;
  let last = 0;
  while (inARow < goodAnswers) {
    if (performance.now() > untilMs) {
      throw new Error(
        `The deployment failed, but the service answers ${last}: look at CodeDeploy and CloudFormation.`,
      );
    }
    last = await send();
    inARow = last === 200 ? inARow + 1 : 0;
    await wait(everyMs);
  }
}

function printTally({ startedAfterSeconds, requests, failures }: Tally): void {
  const after = `${Math.round(startedAfterSeconds)} s`.padStart(6);
  print(`${after}  ${requests} requests, ${failures} failed (${percent(failures, requests)})`);
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / Math.max(whole, 1)).toFixed(1)} %`;
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text))
    throw new Error(`--${name} takes a whole number from 1 to 99999.`);
  return Number(text);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
