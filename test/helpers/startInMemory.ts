import { spawn } from 'node:child_process';

export type InMemoryService = { baseAddress: string; apiKey: string; stop(): void };

/** Starts `npm start` without data on a free port, for a program that is no test. */
export function startInMemory(): Promise<InMemoryService> {
  const args = ['infra/local/start.ts', '--port', '0', '--in-memory'];
  const service = spawn(process.execPath, args);
  const { promise, resolve, reject } = Promise.withResolvers<InMemoryService>();
  let banner = '';
  service.stdout.on('data', (chunk) => {
    banner += chunk;
    const baseAddress = /http:\S+\/v1$/m.exec(banner)?.[0];
    const apiKey = /ps_local_[\w-]+(?=\s)/.exec(banner)?.[0];
    if (baseAddress && apiKey) resolve({ baseAddress, apiKey, stop: () => service.kill() });
  });
  service.stdout.on('close', () => reject(new Error('The service did not start.')));
  return promise;
}
