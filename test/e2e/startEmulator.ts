import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isolatedEnvironment } from './isolatedEnvironment.ts';

export type Emulator = {
  /** The endpoint of every AWS service. */
  endpoint: string;
  /** For programs that use the emulator as AWS. */
  environment: NodeJS.ProcessEnv;
  /** Settles when the emulator has ended, for any reason. */
  ended: Promise<void>;
  stop(): Promise<void>;
};

type EmulatorOptions = {
  program: string;
  /** The home and temporary folder of the emulator and of all programs that use it. */
  folder: string;
  logFile: string;
  signal: AbortSignal;
};

const pollEveryMs = 100;
const startTimeoutMs = 60_000;
const stopTimeoutMs = 5_000;

/** Starts MiniStack on a free loopback port and waits until it responds. */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { program, folder, logFile, signal } = options;
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const environment = isolatedEnvironment(endpoint, folder);
  const log = openSync(logFile, 'w');
  const child = spawn(program, {
    stdio: ['ignore', log, log],
    env: {
      ...environment,
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      S3_DATA_DIR: join(folder, 's3'),
      STATE_DIR: join(folder, 'state'),
      // No other listeners, and no access to the containers of this machine.
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
      DOCKER_HOST: `unix://${join(folder, 'none')}`,
    },
  });
  closeSync(log);
  // A program that cannot start has no process id, which `hasEnded` checks.
  child.on('error', () => {});
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  child.on('exit', () => resolve());
  const stop = () => stopEmulator(child);
  try {
    await untilReady(child, endpoint, signal);
    return { endpoint, environment, ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function untilReady(
  child: ChildProcess,
  endpoint: string,
  signal: AbortSignal,
): Promise<void> {
  const untilMs = Date.now() + startTimeoutMs;
  const responds = () =>
    fetch(`${endpoint}/_ministack/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await responds())) {
    if (hasEnded(child)) throw new Error('MiniStack ended during its start.');
    if (Date.now() > untilMs) throw new Error('MiniStack did not respond in time.');
    await wait(pollEveryMs, undefined, { signal });
  }
}

/** The functions are child processes of the emulator and end with it. */
async function stopEmulator(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await exited;
  clearTimeout(kill);
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

type LogGroups = { logGroups: { logGroupName: string }[] };
type LogEvents = { events: { timestamp: number; message: string }[] };

/** Reads the logs of all functions, oldest line first. */
export async function readLogs(endpoint: string): Promise<string> {
  const { logGroups } = await callLogs<LogGroups>(endpoint, 'DescribeLogGroups', {});
  const lists = await Promise.all(
    logGroups.map(({ logGroupName }) =>
      callLogs<LogEvents>(endpoint, 'FilterLogEvents', { logGroupName }),
    ),
  );
  const events = lists.flatMap((list) => list.events);
  const inOrder = events.toSorted((one, other) => one.timestamp - other.timestamp);
  return inOrder.map(({ message }) => `${message.trimEnd()}\n`).join('');
}

/** Calls CloudWatch Logs without the SDK, whose client the project does not need elsewhere. */
async function callLogs<T>(endpoint: string, action: string, input: object): Promise<T> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-amz-json-1.1',
      'X-Amz-Target': `Logs_20140328.${action}`,
      // The emulator reads service and Region from it, and does not verify the signature.
      Authorization:
        'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/logs/aws4_request, SignedHeaders=host, Signature=none',
    },
    body: JSON.stringify(input),
  });
  if (!response.ok) throw new Error(`${action} got ${response.status}.`);
  return (await response.json()) as T;
}
