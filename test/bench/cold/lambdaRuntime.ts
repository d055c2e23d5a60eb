import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Deployment } from '../variants.ts';
import { type CpuShare, memoryMbOf, pinnedCommand, throttle } from './cpuShare.ts';

export type FunctionResponse = {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
};

type Invocation = { sentAtMs: number; respondedAtMs: number; response: FunctionResponse };

const version = '/2018-06-01/runtime';

/** No start takes this long, at any share of a processor. */
const timeoutMs = 30_000;

/** Lambda's Runtime API for the runtime client: hands out events and accepts the responses. */
export class RuntimeApi {
  /** The time of the first request for an event, which ends Lambda's init phase. */
  readyAtMs = 0;
  /** Called at that time, before the first event is handed out. */
  whenReady = () => {};
  readonly #server: Server;
  #waiting: ServerResponse | undefined;
  #next: { event: unknown; settle: PromiseWithResolvers<Invocation>; sentAtMs: number } | undefined;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => this.#serve(request, response));
  }

  static async start(): Promise<RuntimeApi> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new RuntimeApi(server);
  }

  /** For `AWS_LAMBDA_RUNTIME_API`. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Hands out an event as soon as the function is ready, and waits for its response. */
  async invoke(event: unknown): Promise<Invocation> {
    const settle = Promise.withResolvers<Invocation>();
    this.#next = { event, settle, sentAtMs: 0 };
    this.#handOut();
    const tooLate = new Error(`No response within ${timeoutMs} ms.`);
    const timer = setTimeout(() => settle.reject(tooLate), timeoutMs);
    return settle.promise.finally(() => clearTimeout(timer));
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #handOut(): void {
    if (!this.#waiting || !this.#next || this.#next.sentAtMs > 0) return;
    this.#next.sentAtMs = performance.now();
    this.#waiting
      .writeHead(200, {
        'Content-Type': 'application/json',
        'Lambda-Runtime-Aws-Request-Id': '8476a536-e9f4-11e8-9739-2dfe598c3fcd',
        'Lambda-Runtime-Deadline-Ms': String(Date.now() + 10_000),
        'Lambda-Runtime-Invoked-Function-Arn': 'arn:aws:lambda:eu-west-1:123456789012:function:pet',
        'Lambda-Runtime-Trace-Id': 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0',
      })
      .end(JSON.stringify(this.#next.event));
    this.#waiting = undefined;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const receivedAtMs = performance.now();
    if (request.url === `${version}/invocation/next`) {
      if (this.readyAtMs === 0) {
        this.readyAtMs = receivedAtMs;
        this.whenReady();
      }
      this.#waiting = response;
      this.#handOut();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(202).end();
      const text = Buffer.concat(chunks).toString();
      const { settle, sentAtMs } = this.#next ?? {};
      if (request.url?.endsWith('/response')) {
        const respondedAtMs = receivedAtMs;
        settle?.resolve({ sentAtMs: sentAtMs ?? 0, respondedAtMs, response: JSON.parse(text) });
      } else {
        settle?.reject(new Error(`${request.url}: ${text}`));
      }
    });
  }
}

const runtimeClient = join(
  import.meta.dirname,
  '..',
  'node_modules',
  'aws-lambda-ric',
  'index.mjs',
);

type Start = {
  deployment: Deployment;
  environment: Record<string, string>;
  runtimeApi: RuntimeApi;
  cpu: CpuShare;
};

/** Starts a function as Lambda does: with its Node.js flags, variables and runtime client. */
export function startFunction({ deployment, environment, runtimeApi, cpu }: Start): ChildProcess {
  // Lambda's start script derives the heap sizes from the memory.
  const memoryMb = memoryMbOf(cpu);
  const semiSpaceMb = Math.floor((memoryMb * 5) / 100);
  const [command = '', ...args] = [
    ...pinnedCommand(cpu),
    process.execPath,
    '--expose-gc',
    '--max-http-header-size=81920',
    `--max-semi-space-size=${semiSpaceMb}`,
    `--max-old-space-size=${memoryMb - 2 * semiSpaceMb}`,
    runtimeClient,
  ];
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env.PATH,
      TZ: ':UTC',
      LANG: 'en_US.UTF-8',
      ...environment,
      _HANDLER: deployment.handler,
      LAMBDA_TASK_ROOT: deployment.taskRoot,
      AWS_LAMBDA_RUNTIME_API: runtimeApi.address,
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
  if (!['full', '512 MB throughout'].includes(cpu)) {
    runtimeApi.whenReady = () => throttle(child.pid ?? 0, cpu);
  }
  return child;
}
