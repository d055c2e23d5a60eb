import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { isApiKeyOf } from '../../lib/apiKeys/apiKey.ts';
import { outputNames, stackName, stages } from '../stages.ts';
import { readStackOutput } from './openStageTable.ts';
import { print, runCommand, type Values, wholeNumber } from './runCommand.ts';

const usage = `Deploys a failing version to a stage, and watches CodeDeploy roll it back.

  npm run rollback-drill -- --api-key <key> [options] [-- <options of cdk deploy>]

  --api-key             a valid key of the stage
  --stage               a stage that allows faults; production does not        (v1-staging)
  --every-ms            the interval between requests                          (200)
  --recover-in-seconds  how soon the service must be healthy after a rollback  (120)

The drill takes about 10 minutes, does not ask for approval, and needs your own AWS credentials and
Region. The exit code is 0 if the release was rolled back and the service is healthy again.`;

const options = {
  'api-key': { type: 'string', default: '' },
  stage: { type: 'string', default: 'v1-staging' },
  'every-ms': { type: 'string', default: '200' },
  'recover-in-seconds': { type: 'string', default: '120' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** While a tenth of the traffic fails, so many successes in a row happen once in 190 times. */
const requiredSuccesses = 50;

const tallySeconds = 10;

/** The requests of a period. Failures are responses of 500 and above, and missing responses. */
type Tally = { requests: number; failures: number };

/** Sends a request and returns its status, or 0 if there is no response. */
type Send = () => Promise<number>;

if (import.meta.main) process.exitCode = await rollbackDrill(process.argv.slice(2));

/** Runs `npm run rollback-drill` with these arguments. Returns the exit code. */
export function rollbackDrill(args: string[]): Promise<number> {
  return runCommand({ usage, options, run }, args);
}

async function run(values: Values<typeof options>, cdkArgs: string[]): Promise<true> {
  const apiKey = values['api-key'];
  const everyMs = wholeNumber('every-ms', values['every-ms'], 1);
  const recoveryMs = 1000 * wholeNumber('recover-in-seconds', values['recover-in-seconds'], 1);
  const stage = stages.find(({ name }) => name === values.stage);
  if (!stage?.allowsFault) throw new Error(`${values.stage} is not a stage that allows faults.`);
  if (!isApiKeyOf(stage.name, apiKey)) throw new Error(`--api-key takes a key of ${stage.name}.`);
  const stack = stackName(stage.name);
  const address = `${await readStackOutput(stack, outputNames.baseAddress)}/pets?limit=1`;
  const send = () => statusOf(address, apiKey);

  const status = await send();
  if (status !== 200) throw new Error(`${address} returns ${status} before the drill begins.`);

  print(`Deploying a version of ${stack} that returns 500 for every request with a valid key.`);
  const deployment = new AbortController();
  const probe = probeTraffic(send, everyMs, deployment.signal);
  const cdkExitCode = await deployFault(stack, cdkArgs).finally(() => deployment.abort());
  const total = await probe;
  print(`${total.failures} of ${total.requests} requests failed (${percentOf(total)}).`);

  if (cdkExitCode === 0) {
    throw new Error(
      `The deployment succeeded: nothing rolled it back. ${stack} FAILS NOW: deploy it again without the fault.`,
    );
  }
  if (total.failures === 0) {
    throw new Error(
      'The deployment failed before the version got any traffic: nothing was tested.',
    );
  }
  await waitForRecovery(send, everyMs, recoveryMs);
  print('The release was rolled back, and the service is healthy.');
  return true;
}

/** Runs `cdk deploy` as an operator does, and returns its exit code. */
async function deployFault(stack: string, cdkArgs: string[]): Promise<number | null> {
  const fixedArgs = ['-c', 'fault=on', '--require-approval', 'never', '--no-notices'];
  const cdk = spawn('cdk', ['deploy', stack, ...fixedArgs, ...cdkArgs], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [exitCode] = await once(cdk, 'exit');
  return exitCode;
}

/**
 * Sends requests at a steady pace until it is stopped, prints a tally every 10 seconds, and returns
 * the total.
 *
 * A slow response does not slow the pace: that would hide the time in which the service is ill.
 */
async function probeTraffic(send: Send, everyMs: number, signal: AbortSignal): Promise<Tally> {
  const startedAtMs = performance.now();
  const total: Tally = { requests: 0, failures: 0 };
  let current: Tally = { ...total };
  let currentStartSeconds = 0;
  const underWay = new Set<Promise<void>>();

  const sendOne = async () => {
    const status = await send();
    for (const tally of [total, current]) {
      tally.requests += 1;
      if (status === 0 || status >= 500) tally.failures += 1;
    }
  };
  const printCurrent = () => {
    const start = `${Math.round(currentStartSeconds)} s`.padStart(6);
    const { requests, failures } = current;
    print(`${start}  ${requests} requests, ${failures} failed (${percentOf(current)})`);
  };

  while (!signal.aborted) {
    const request = sendOne().finally(() => underWay.delete(request));
    underWay.add(request);
    await wait(everyMs, undefined, { signal }).catch(() => {});
    const elapsedSeconds = (performance.now() - startedAtMs) / 1000;
    if (elapsedSeconds - currentStartSeconds >= tallySeconds) {
      printCurrent();
      current = { requests: 0, failures: 0 };
      currentStartSeconds = elapsedSeconds;
    }
  }
  await Promise.all(underWay);
  if (current.requests > 0) printCurrent();
  return total;
}

async function waitForRecovery(send: Send, everyMs: number, recoveryMs: number): Promise<void> {
  const deadlineMs = performance.now() + recoveryMs;
  let successes = 0;
  let status = 0;
  while (successes < requiredSuccesses) {
    if (performance.now() > deadlineMs) {
      throw new Error(
        `The deployment failed, but the service returns ${status}: look at CodeDeploy and CloudFormation.`,
      );
    }
    status = await send();
    successes = status === 200 ? successes + 1 : 0;
    await wait(everyMs);
  }
}

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

function percentOf({ requests, failures }: Tally): string {
  return `${((100 * failures) / Math.max(requests, 1)).toFixed(1)} %`;
}
