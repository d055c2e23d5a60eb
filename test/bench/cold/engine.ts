import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import dynalite from 'dynalite';
import { functionEnvironment } from '../../../infra/definitions/functionEnvironment.ts';
import { fillTables, tableNames } from '../../helpers/fillTables.ts';

export const stage = 'bench';

/** The environment of a deployed function. */
export const deployedEnvironment = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_SESSION_TOKEN: 'x'.repeat(800), // a role's token is about as long
  ...functionEnvironment({ stage, tableNames, shards: 1, idsPerLease: 1 }),
};

type Engine = {
  /** The environment of a deployed function that uses this engine. */
  environment: Record<string, string>;
  apiKey: string;
  stop(): void;
};

/**
 * Starts a database with pets and an API key.
 *
 * It is a process of its own, so its work does not count. It speaks TLS, like DynamoDB.
 */
export async function startEngine(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  createCertificate(folder);
  const caFile = join(folder, 'cert.pem');
  const child = fork(import.meta.filename, [folder], {
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

if (import.meta.main) await serveEngine(process.argv[2] ?? '.');

async function serveEngine(folder: string): Promise<void> {
  const server = dynalite({
    createTableMs: 0,
    ssl: true,
    key: readFileSync(join(folder, 'key.pem'), 'utf8'),
    cert: readFileSync(join(folder, 'cert.pem'), 'utf8'),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const environment = {
    AWS_ENDPOINT_URL_DYNAMODB: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...deployedEnvironment,
  };
  Object.assign(process.env, environment);

  const apiKey = await fillTables(stage, 300);
  process.send?.({ environment, apiKey });
  process.once('disconnect', () => process.exit());
}
