import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { apiKeyDigest, apiKeyId } from '../../lib/apiKeys/apiKey.ts';
import { nowEpochSeconds } from '../../lib/nowEpochSeconds.ts';
import { outputNames, stackName, stages } from '../stages.ts';
import { issueApiKey, revokeApiKey } from './apiKeyRegistry.ts';
import {
  defineCommand,
  print,
  runCommand,
  stageOption,
  UsageError,
  wholeNumber,
} from './command.ts';
import { readStackOutput } from './openStageTable.ts';

const keyLifetimeSeconds = 24n * 60n * 60n;

const tallySeconds = 10;

/** The requests of a period. Failures are responses of 500 and above, and missing responses. */
type Tally = { requests: number; failures: number };

/** Sends a request and returns its status, or 0 if there is no response. */
export type Send = () => Promise<number>;

type CommandLine = string[];

export const probe = defineCommand('probe')
  .addOption(stageOption(stages.map(({ name }) => name)))
  .option('--every-ms <ms>', 'the interval between requests', wholeNumber(1, 99_999), 250)
  .argument('[command and its arguments...]', 'after a second --')
  .addHelpText(
    'after',
    `
A deployment with little traffic of its own needs it: the alarms of a new version see only requests
that it gets. The requests call every function in turn and add no pet. Their API key is issued for
this run and revoked at its end. The exit code is that of the command.`,
  )
  .action(async (command, options) => {
    if (command.length === 0) throw new UsageError('There is no command after the second --.');
    process.exitCode = await deploy(command, options);
  });

type Options = ReturnType<typeof probe.opts>;

async function deploy(command: CommandLine, { stage: name, everyMs }: Options): Promise<number> {
  const stack = stackName(name);
  const baseAddress = await readBaseAddress(stack);
  if (!baseAddress) {
    print(`${stack} does not exist yet: there is nothing to send requests to.`);
    return runAlone(command);
  }
  const tableName = await readStackOutput(stack, outputNames.apiKeysTable);
  const registry = { stage: name, tableName };
  const apiKey = await issueApiKey(registry, {
    name: 'probe of a deployment',
    expiresAtEpochSeconds: nowEpochSeconds() + keyLifetimeSeconds,
  });
  try {
    const send = eachFunctionInTurn(baseAddress, apiKey);
    return (await runWithProbe(command, { send, everyMs })).exitCode;
  } finally {
    // The key expires in any case, so the command's exit code counts.
    await revokeApiKey(registry, apiKeyId(apiKeyDigest(apiKey))).catch((error: Error) => {
      process.stderr.write(`The key of the probe was not revoked: ${error.message}\n`);
    });
  }
}

/** Returns undefined before the first deployment. */
async function readBaseAddress(stack: string): Promise<string | undefined> {
  try {
    return await readStackOutput(stack, outputNames.baseAddress);
  } catch (error) {
    if (/does not exist/.test((error as Error).message)) return undefined;
    throw error;
  }
}

/** Requests to each function, none of which stores a pet. */
function eachFunctionInTurn(baseAddress: string, apiKey: string): Send {
  const requests = [
    { path: '/pets?limit=1' },
    { path: '/pets/1' },
    { path: '/pets', body: '{}' },
    { path: '/pets/1/unknown' },
  ];
  let count = 0;
  return () => {
    const { path = '', body } = requests[count % requests.length] ?? {};
    count += 1;
    return statusOf(`${baseAddress}${path}`, { apiKey, body });
  };
}

/** Runs a command, and sends requests until it ends. Returns its exit code and the tally. */
export async function runWithProbe(
  command: CommandLine,
  { send, everyMs }: { send: Send; everyMs: number },
): Promise<{ exitCode: number; total: Tally }> {
  const end = new AbortController();
  const traffic = sendSteadily(send, everyMs, end.signal);
  const exitCode = await runAlone(command).finally(() => end.abort());
  const total = await traffic;
  print(`${total.failures} of ${total.requests} requests failed (${percentOf(total)}).`);
  return { exitCode, total };
}

async function runAlone([file = '', ...args]: CommandLine): Promise<number> {
  const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [exitCode] = await once(child, 'exit');
  // A signal ended it.
  return exitCode ?? 1;
}

/**
 * Sends requests at a steady pace until it is stopped, prints a tally every 10 seconds, and returns
 * the total.
 *
 * A slow response does not slow the pace: that would hide an outage.
 */
async function sendSteadily(send: Send, everyMs: number, signal: AbortSignal): Promise<Tally> {
  const startedAtMs = performance.now();
  const total: Tally = { requests: 0, failures: 0 };
  let current: Tally = { ...total };
  let currentStartSeconds = 0;
  const pendingRequests = new Set<Promise<void>>();

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
    const request = sendOne().finally(() => pendingRequests.delete(request));
    pendingRequests.add(request);
    await wait(everyMs, undefined, { signal }).catch(() => {});
    const elapsedSeconds = (performance.now() - startedAtMs) / 1000;
    if (elapsedSeconds - currentStartSeconds >= tallySeconds) {
      printCurrent();
      current = { requests: 0, failures: 0 };
      currentStartSeconds = elapsedSeconds;
    }
  }
  await Promise.all(pendingRequests);
  if (current.requests > 0) printCurrent();
  return total;
}

/** Returns the status of a response, or 0 if there is none. A body is sent by POST. */
export async function statusOf(
  address: string,
  { apiKey, body }: { apiKey: string; body?: string | undefined },
): Promise<number> {
  try {
    const response = await fetch(address, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: body ?? null,
      signal: AbortSignal.timeout(15_000),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return 0;
  }
}

function percentOf({ requests, failures }: Tally): string {
  return `${((100 * failures) / Math.max(requests, 1)).toFixed(1)} %`;
}

if (import.meta.main) await runCommand(probe);
