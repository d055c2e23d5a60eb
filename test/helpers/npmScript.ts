import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

export type Output = { stdout: string; stderr: string };
export type RunningScript = Output & {
  process: ChildProcessWithoutNullStreams;
  exited: Promise<number | null>;
};

const ownAddresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);

/** The addresses of `localhost` on this machine, which may lack IPv6. */
export const loopback = ['127.0.0.1', '::1'].filter((host) =>
  ownAddresses.some(({ address }) => address === host),
);

/** Variables that change what a script does. */
const notInherited = ['LOG_LEVEL', 'FORCE_COLOR', 'NO_COLOR', 'CI'];

/** Starts the file of `npm run <script>`. */
export function startScript(
  script: string,
  args: string[],
  environment?: NodeJS.ProcessEnv,
  cwd?: string,
): RunningScript {
  const command = [resolve('tools/run.cjs'), `tools/${script}.ts`, ...args];
  return startProcess(process.execPath, command, environment, cwd);
}

export function startProcess(
  command: string,
  args: string[],
  environment: NodeJS.ProcessEnv = {},
  cwd?: string,
): RunningScript {
  const inherited = Object.entries(process.env).filter(([name]) => !notInherited.includes(name));
  const env = { ...Object.fromEntries(inherited), ...environment };
  const child = spawn(command, args, { env, cwd });
  const running: RunningScript = {
    process: child,
    stdout: '',
    stderr: '',
    exited: once(child, 'close').then(([code]) => code as number | null),
  };
  child.stdout.on('data', (chunk) => {
    running.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    running.stderr += chunk;
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return running;
}

/** Waits for a text in the output of a process. Throws if the process ends before. */
export async function printed(running: RunningScript, text: RegExp): Promise<void> {
  const ended = running.exited.then(() => {
    throw new Error(`No ${text} in: ${running.stdout}${running.stderr}`);
  });
  ended.catch(() => {});
  while (!text.test(running.stdout)) {
    await Promise.race([once(running.process.stdout, 'data'), ended]);
  }
}

/** Runs a script until it exits. */
export async function runScript(
  ...args: Parameters<typeof startScript>
): Promise<Output & { exitCode: number | null }> {
  const running = startScript(...args);
  const exitCode = await running.exited;
  return { exitCode, stdout: running.stdout, stderr: running.stderr };
}

export type LocalService = RunningScript & { baseAddress: string; apiKey: string };

/** Starts the service on a free port and waits until it listens. */
export async function startService(
  args: string[],
  environment?: NodeJS.ProcessEnv,
  cwd?: string,
): Promise<LocalService> {
  const running = startScript('start', ['--port', '0', ...args], environment, cwd);
  await printed(running, /"message":"Started".+\n/);
  const started = running.stdout.split('\n').find((line) => line.includes('"Started"'));
  return Object.assign(running, JSON.parse(started ?? ''));
}

/** Sends a request with the key that the service printed. */
export function request(
  { baseAddress, apiKey }: LocalService,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${baseAddress}${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
  });
}

/** Creates a folder that temporaryFiles.ts deletes. */
export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'petstore-'));
}
