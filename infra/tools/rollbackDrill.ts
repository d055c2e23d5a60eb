import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { isApiKeyOf } from '../../lib/apiKeys/apiKey.ts';
import { outputNames, stackName, stages } from '../stages.ts';
import { defineCommand, print, runCommand, UsageError, wholeNumber } from './command.ts';
import { readStackOutput } from './openStageTable.ts';

/** While a tenth of the traffic fails, so many successes in a row happen once in 190 times. */
const requiredSuccesses = 50;

const tallySeconds = 10;

/** The requests of a period. Failures are responses of 500 and above, and missing responses. */
type Tally = { requests: number; failures: number };

/** Sends a request and returns its status, or 0 if there is no response. */
type Send = () => Promise<number>;

export const rollbackDrill = defineCommand('rollback-drill')
  .option('--api-key <key>', 'a valid key of the stage', '')
  .option('--stage <stage>', 'a stage that allows faults; production does not', 'v1-staging')
  .option('--every-ms <ms>', 'the interval between requests', wholeNumber(1, 99_999), 200)
  .option(
    '--recover-in-seconds <seconds>',
    'how soon the service must be healthy after a rollback',
    wholeNumber(1, 99_999),
    120,
  )
  .argument('[options of cdk deploy...]', 'after a second --')
  .addHelpText(
    'after',
    `
The drill takes about 10 minutes, does not ask for approval, and needs your own AWS credentials and
Region. The exit code is 0 if the release was rolled back and the service is healthy again.`,
  )
  .action((cdkArgs, options) => drill(options, cdkArgs));

type Options = ReturnType<typeof rollbackDrill.opts>;

async function drill(options: Options, cdkArgs: string[]): Promise<void> {
  const { apiKey, everyMs } = options;
  const recoveryMs = 1000 * options.recoverInSeconds;
  const stage = stages.find(({ name }) => name === options.stage);
  if (!stage?.allowsFault)
    throw new UsageError(`${options.stage} is not a stage that allows faults.`);
  if (!isApiKeyOf(stage.name, apiKey)) {
    throw new UsageError(`--api-key takes a key of ${stage.name}.`);
  }
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

if (import.meta.main) await runCommand(rollbackDrill);
