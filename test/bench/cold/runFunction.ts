import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { FunctionResponse } from '../requests.ts';
import type { Deployment } from '../variants.ts';
import { pinnedCommand, throttle } from './cpuShare.ts';

type Start = {
  deployment: Deployment;
  environment: Record<string, string>;
  /** The size of the function, which decides its heap and its share of a processor. */
  memoryMb: number;
};

type Result = { initMs: number; invocations: { ms: number; response: FunctionResponse }[] };

/** No run takes this long, at any share of a processor. */
const timeoutMs = 60_000;

/** Starts a function as Lambda does, sends it events one after the other, and ends it. */
export async function runFunction(start: Start, events: readonly unknown[]): Promise<Result> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const startedAtMs = performance.now();
  const child = startProcess(start, `127.0.0.1:${(server.address() as AddressInfo).port}`);
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const timer = setTimeout(() => reject(new Error('The function did not respond.')), timeoutMs);
  const errors = text(child.stderr);
  const closed = once(child, 'close').then(async () => reject(new Error(await errors)));

  const result: Result = { initMs: 0, invocations: [] };
  let sentAtMs = 0;
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    const receivedAtMs = performance.now();
    const { invocations } = result;
    if (request.url?.endsWith('/invocation/next')) {
      if (result.initMs === 0) {
        // Lambda runs the init phase, which ends here, at full speed.
        result.initMs = receivedAtMs - startedAtMs;
        throttle(child.pid ?? 0, start.memoryMb);
      }
      if (invocations.length === events.length) return;
      sentAtMs = performance.now();
      response.writeHead(200, invocationHeaders()).end(JSON.stringify(events[invocations.length]));
      return;
    }
    const body = await text(request);
    response.writeHead(202).end();
    if (!request.url?.endsWith('/response')) return reject(new Error(`${request.url}: ${body}`));
    invocations.push({ ms: receivedAtMs - sentAtMs, response: JSON.parse(body) });
    if (invocations.length === events.length) resolve(result);
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
    await closed;
    server.closeAllConnections();
    server.close();
  }
}

function invocationHeaders() {
  return {
    'Content-Type': 'application/json',
    'Lambda-Runtime-Aws-Request-Id': '8476a536-e9f4-11e8-9739-2dfe598c3fcd',
    'Lambda-Runtime-Deadline-Ms': String(Date.now() + 10_000),
    'Lambda-Runtime-Invoked-Function-Arn': 'arn:aws:lambda:eu-west-1:123456789012:function:pet',
    'Lambda-Runtime-Trace-Id': 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0',
  };
}

/** Lambda's own client of its Runtime API. */
const runtimeClient = join(import.meta.dirname, '../node_modules/aws-lambda-ric/index.mjs');

/** Starts a function with Lambda's Node.js flags, variables and runtime client. */
function startProcess(start: Start, runtimeApi: string) {
  const { deployment, environment, memoryMb } = start;
  // Lambda's start script derives the heap sizes from the memory.
  const semiSpaceMb = Math.floor((memoryMb * 5) / 100);
  const [command = '', ...args] = [
    ...pinnedCommand,
    process.execPath,
    '--expose-gc',
    '--max-http-header-size=81920',
    `--max-semi-space-size=${semiSpaceMb}`,
    `--max-old-space-size=${memoryMb - 2 * semiSpaceMb}`,
    runtimeClient,
  ];
  return spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env.PATH,
      TZ: ':UTC',
      LANG: 'en_US.UTF-8',
      ...environment,
      _HANDLER: deployment.handler,
      LAMBDA_TASK_ROOT: deployment.taskRoot,
      AWS_LAMBDA_RUNTIME_API: runtimeApi,
      AWS_LAMBDA_FUNCTION_NAME: 'pet',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      AWS_LAMBDA_LOG_FORMAT: 'JSON',
      AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/pet',
      AWS_LAMBDA_LOG_STREAM_NAME: '2026/11/20/[$LATEST]0',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_DEFAULT_REGION: environment.AWS_REGION,
    },
  });
}
