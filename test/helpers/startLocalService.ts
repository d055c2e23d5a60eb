import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export type LocalProcess = {
  child: ChildProcess;
  /** Ends in `/v1`. */
  baseAddress: string;
  apiKey: string;
  stop(): Promise<void>;
};

/** Starts `npm start` on a free port, for a program that is not a test. */
export async function startLocalService(
  args: string[],
  options: SpawnOptions = {},
): Promise<LocalProcess> {
  const program = ['infra/tools/start.ts', '--port', '0', ...args];
  const child = spawn(process.execPath, program, {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  });
  // All lines are read: a full pipe would stop the service.
  const lines = createInterface({ input: child.stdout as Readable });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  lines.on('line', (line) => {
    if (line.includes('"msg":"started"')) resolve(line);
  });
  const exited = once(child, 'exit');
  exited.then(() => reject(new Error('npm start did not start.')), reject);
  const { baseAddress, apiKey } = JSON.parse(await promise);
  return {
    child,
    baseAddress,
    apiKey,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
