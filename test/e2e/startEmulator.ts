import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export type Emulator = {
  /** The endpoint of every AWS service. */
  endpoint: string;
  /** For programs that use the emulator as AWS. */
  environment: NodeJS.ProcessEnv;
  /** For clients of the SDK. */
  client: { endpoint: string; region: string; credentials: typeof credentials };
  /** For temporary files. */
  folder: string;
  /** Ends the run. */
  signal: AbortSignal;
  stop(): Promise<void>;
};

const region = 'us-east-1';
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const pollEveryMs = 100;
const startTimeoutMs = 60_000;
const stopTimeoutMs = 5_000;

/** Kept until the next run. */
export const emulatorLog = resolve('node_modules/.cache/ministack.log');

/** Starts MiniStack on a free loopback port and waits until it responds. */
export async function startEmulator(
  program: string,
  folder: string,
  signal: AbortSignal,
): Promise<Emulator> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const environment = isolatedEnvironment(endpoint, folder);
  const log = openSync(emulatorLog, 'w');
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
      // The heartbeat, which runs by its schedule too, cannot reach AWS.
      HTTPS_PROXY: 'http://127.0.0.1:9',
      NODE_USE_ENV_PROXY: '1',
    },
  });
  closeSync(log);
  // A program that cannot start has no process id, which `hasEnded` checks.
  child.on('error', () => {});
  const stop = () => stopEmulator(child);
  try {
    await untilReady(child, endpoint, signal);
    const client = { endpoint, region, credentials };
    return { endpoint, environment, client, folder, signal, stop };
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

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Variables that could lead a program to AWS or to a real deployment. */
const leadsOut = /^(AWS_|CDK_|PETSTORE_)|_PROXY$/i;

/**
 * Returns an environment whose programs find the emulator instead of AWS.
 *
 * It hides all AWS settings of the caller, in variables and files. If a request reached AWS anyway, its
 * credentials would be invalid.
 */
function isolatedEnvironment(endpoint: string, folder: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !leadsOut.test(name));
  return {
    ...Object.fromEntries(inherited),
    // The emulator runs functions with the first `node` on the path: the version of production.
    PATH: [resolve('node_modules/.bin'), process.env.PATH].join(delimiter),
    // Hides ~/.aws, ~/.cdk.json and other settings.
    HOME: folder,
    TMPDIR: folder,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_CONFIG_FILE: join(folder, 'none'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none'),
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
}
