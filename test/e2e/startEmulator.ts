import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isolatedEnvironment } from './isolatedEnvironment.ts';

export type Emulator = {
  /** Of every service of AWS. */
  endpoint: string;
  /** Of programs that shall take the emulator for AWS. */
  environment: NodeJS.ProcessEnv;
  /** Settles when it has ended, whoever ended it. */
  ended: Promise<void>;
  stop(): Promise<void>;
};

type EmulatorOptions = {
  program: string;
  /** Where it may write, and what else runs beside it. */
  folder: string;
  logFile: string;
  signal: AbortSignal;
};

const pollEveryMs = 100;
const startTimeoutMs = 60_000;
const stopTimeoutMs = 5_000;

/** Starts MiniStack on a free port of this machine, and waits until it answers. */
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
      // No listeners but the one, and no look at the containers of this machine.
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
      DOCKER_HOST: `unix://${join(folder, 'none')}`,
    },
  });
  closeSync(log);
  // A program that cannot be run has no process id, by which it is seen below.
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
  const answers = () =>
    fetch(`${endpoint}/_ministack/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await answers())) {
    if (hasEnded(child)) throw new Error('MiniStack ended as soon as it was started.');
    if (Date.now() > untilMs) throw new Error('MiniStack did not answer in time.');
    await wait(pollEveryMs, undefined, { signal });
  }
}

/** The functions are its processes, and end with it. */
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
