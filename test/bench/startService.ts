import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Service = {
  child: ChildProcess;
  /** Sends a request with an API key. The path follows `/v1`, or is a whole address. */
  send(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
};

/** Starts `npm start` on a free port, with sample pets in a folder that `stop` deletes. */
export async function startService(petCount: number): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-bench-'));
  const args = ['infra/tools/start.ts', '--port', '0', '--data', folder];
  const child = spawn(process.execPath, [...args, '--seed', String(petCount)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const { promise, resolve, reject } = Promise.withResolvers<[address: string, key: string]>();
  exited.then(() => reject(new Error('npm start did not start.')));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
    const [address] = /http:\/\/localhost:\d+\/v1/.exec(output) ?? [];
    const [key] = /ps_local_[\w-]{49}/.exec(output) ?? [];
    if (!address || !key) return;
    resolve([address, key]);
    // The rest is read and dropped: a full pipe would stop the service.
    child.stdout.removeAllListeners('data').resume();
  });
  const [address, key] = await promise;
  return {
    child,
    send(path, { headers, ...init } = {}) {
      const url = path.startsWith('http') ? path : `${address}${path}`;
      return fetch(url, { ...init, headers: { ...headers, Authorization: `Bearer ${key}` } });
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

/** The request that creates a pet. */
export function newPet(idempotencyKey?: string): RequestInit {
  return {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
    },
    body: '{"name":"Zoë von Fluff","categoryId":7,"status":"pending"}',
  };
}
