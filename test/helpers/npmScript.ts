import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';

const scripts = {
  start: 'infra/local/start.ts',
  keys: 'infra/tools/keys.ts',
  docs: 'infra/tools/docs.ts',
};

type Output = { stdout: string; stderr: string };
export type RunningScript = Output & { process: ChildProcess; exited: Promise<number | null> };

/** Starts the file behind `npm run <script>`, with no engine but the one that a test names. */
export function startScript(
  script: keyof typeof scripts,
  args: string[],
  environment: NodeJS.ProcessEnv = {},
): RunningScript {
  const { AWS_ENDPOINT_URL_DYNAMODB: _, LOG_LEVEL: __, ...inherited } = process.env;
  const child = spawn(process.execPath, [scripts[script], ...args], {
    env: { ...inherited, ...environment },
  });
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

/** Runs a script to its end. */
export async function runScript(
  ...args: Parameters<typeof startScript>
): Promise<Output & { exitCode: number | null }> {
  const running = startScript(...args);
  const exitCode = await running.exited;
  return { exitCode, stdout: running.stdout, stderr: running.stderr };
}

export type LocalService = RunningScript & { baseAddress: string; apiKey: string };

/** Starts the service on a free port and waits for its banner. */
export async function startService(
  args: string[],
  environment?: NodeJS.ProcessEnv,
): Promise<LocalService> {
  const running = startScript('start', ['--port', '0', ...args], environment);
  await vi.waitUntil(() => running.stdout.includes('Ctrl+C') || running.process.exitCode !== null, {
    timeout: 10_000,
  });
  const baseAddress = /http:\/\/localhost:\d+\/v1/.exec(running.stdout)?.[0];
  const apiKey = /ps_local_[\w-]+/.exec(running.stdout)?.[0];
  if (!baseAddress || !apiKey) throw new Error(`No banner: ${running.stdout}${running.stderr}`);
  return Object.assign(running, { baseAddress, apiKey });
}

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
