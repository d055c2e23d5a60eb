import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Engine = {
  /** The environment of a deployed function that uses this engine. */
  environment: Record<string, string>;
  apiKey: string;
  stop(): void;
};

/** Starts a database with pets and an API key, behind TLS and in a process of its own. */
export async function startEngine(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  createCertificate(folder);
  const caFile = join(folder, 'cert.pem');
  const child = fork(join(import.meta.dirname, 'engine.ts'), [folder], {
    env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: caFile },
  });
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('The engine did not start.'))),
  ]);
  const { environment, apiKey } = message as Engine;
  return {
    environment: { ...environment, NODE_EXTRA_CA_CERTS: caFile },
    apiKey,
    stop() {
      child.disconnect();
      rmSync(folder, { recursive: true });
    },
  };
}

/** RSA with 2048 bits, like the certificate of DynamoDB. */
function createCertificate(folder: string): void {
  const { status, stderr } = spawnSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1'],
      ...['-subj', '/CN=petstore-bench', '-addext', 'subjectAltName=IP:127.0.0.1'],
      ...['-keyout', 'key.pem', '-out', 'cert.pem'],
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`openssl cannot create the certificate: ${stderr}`);
}
