import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Stage } from '../../infra/stageSchema.ts';
import { leadsOut } from '../helpers/leadsOut.ts';

export type Emulator = {
  /** The endpoint of every AWS service. */
  endpoint: string;
  /** For programs that use an account and a Region of the emulator. */
  environmentOf(account: Stage['account']): NodeJS.ProcessEnv;
  /** For temporary files. */
  folder: string;
  stop(): Promise<void>;
};

const pollEveryMs = 100;

/** Kept until the next run. */
export const emulatorLog = resolve('node_modules/.cache/ministack.log');

/** Starts MiniStack, one of the Python tools, on a free loopback port and waits until it responds. */
export async function startEmulator(tools: string, folder: string): Promise<Emulator> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const environment = isolatedEnvironment(endpoint, tools, folder);
  const log = openSync(emulatorLog, 'w');
  const child = spawn(join(tools, 'ministack'), {
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
      // The functions call the emulator over HTTP. Nothing listens here, so no request over HTTPS reaches AWS.
      HTTPS_PROXY: 'http://127.0.0.1:9',
      NODE_USE_ENV_PROXY: '1',
    },
  });
  closeSync(log);
  const exited = once(child, 'exit');
  const responds = () =>
    fetch(`${endpoint}/_ministack/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await responds())) {
    if (child.exitCode !== null) throw new Error(`MiniStack did not start: see ${emulatorLog}.`);
    await wait(pollEveryMs);
  }
  return {
    endpoint,
    environmentOf: ({ id = '000000000000', region = 'us-east-1' }) => ({
      ...environment,
      AWS_REGION: region,
      AWS_DEFAULT_REGION: region, // for the AWS CLI
      // MiniStack takes the id of the account from it.
      AWS_ACCESS_KEY_ID: id,
      AWS_SECRET_ACCESS_KEY: 'test',
    }),
    folder,
    // The functions are child processes of the emulator and end with it.
    async stop() {
      child.kill();
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Returns an environment whose programs find the emulator instead of AWS.
 *
 * It hides all AWS settings of the caller, in variables and files. If a request reached AWS anyway, its
 * credentials would be invalid.
 */
function isolatedEnvironment(endpoint: string, tools: string, folder: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !leadsOut.test(name));
  return {
    ...Object.fromEntries(inherited),
    // The emulator runs functions with the first `node` on the path: the version of production.
    PATH: [resolve('node_modules/.bin'), tools, process.env.PATH].join(delimiter),
    // Hides ~/.aws, ~/.cdk.json and other settings.
    HOME: folder,
    TMPDIR: folder,
    AWS_ENDPOINT_URL: endpoint,
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
}
