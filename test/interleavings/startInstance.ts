import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { build } from 'esbuild';
import { functionEnvironment } from '../../lib/config.ts';
import type { Handler } from '../../lib/http/handler.ts';
import { type OperationName, operationEntries } from '../../lib/operations.ts';
import { mapTables } from '../../lib/tables.ts';
import type { Input, Reply } from './DynamoDbModel.ts';

export const stage = 'interleavings';

/** The service with module state of its own. */
export type Service = Record<OperationName, Handler>;

/** Everything outside an instance that decides what it does. */
type Surroundings = {
  nowMs(): number;
  call(action: string, input: Input): Promise<Reply>;
  /** Takes what ends the calls of a request whose function runs out of time. */
  onDeadline(end: () => void): void;
};

export type StartInstance = (surroundings: Surroundings) => Service;

const entryPoint = operationEntries
  .map(([name]) => `export { handler as ${name} } from './functions/${name}.ts';`)
  .join('\n');

const environment = {
  AWS_REGION: 'local',
  LOG_LEVEL: 'SILENT',
  ...functionEnvironment({
    stage,
    tableNames: mapTables((name) => name),
    idsPerLease: 2,
  }),
};

/**
 * Bundles the service and returns what starts an instance of it.
 *
 * The large packages are evaluated once. The rest is evaluated for each instance, because its module state
 * is that of an instance.
 */
export async function loadService(): Promise<StartInstance> {
  const { outputFiles } = await build({
    stdin: { resolveDir: join(import.meta.dirname, '../..'), contents: entryPoint },
    bundle: true,
    external: ['@aws-sdk/*', 'zod'],
    platform: 'node',
    format: 'cjs',
    banner: { js: '(function (module, require, process, Date, AbortSignal) {' },
    footer: { js: '})' },
    write: false,
  });
  const evaluate = new Script(outputFiles[0]?.text ?? '').runInThisContext();
  const requirePackage = createRequire(import.meta.url);

  return function startInstance({ nowMs, call, onDeadline }) {
    const module = { exports: {} as Service };
    const InstanceDate = class extends Date {
      static override now = nowMs;
    };
    const replaced: Record<string, object> = {
      '@aws-sdk/client-dynamodb': Object.create(requirePackage('@aws-sdk/client-dynamodb'), {
        DynamoDBClient: { value: clientOf(call), enumerable: true },
      }),
    };
    const InstanceAbortSignal = {
      timeout() {
        const deadline = new AbortController();
        onDeadline(() => deadline.abort());
        return deadline.signal;
      },
    };
    // esbuild copies own properties for each import, and inherits the others.
    const require = (name: string) => replaced[name] ?? Object.create(requirePackage(name));
    const instanceProcess = { ...process, env: environment };
    evaluate(module, require, instanceProcess, InstanceDate, InstanceAbortSignal);
    return module.exports;
  };
}

/** The SDK's own client, with its retries, on calls instead of connections. */
function clientOf(call: Surroundings['call']): typeof DynamoDBClient {
  return class extends DynamoDBClient {
    constructor(settings: DynamoDBClientConfig) {
      super({
        ...settings,
        region: 'local',
        credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
        signer: { sign: async (request) => request }, // the model needs no signatures
        requestHandler: { handle },
      });
    }
  };

  async function handle(
    { headers, body }: { headers: Record<string, string>; body?: Uint8Array },
    { abortSignal }: { abortSignal: AbortSignal },
  ) {
    abortSignal.throwIfAborted();
    const action = headers['x-amz-target']?.split('.')[1] ?? '';
    const aborted = once(abortSignal, 'abort').then(() => abortSignal.throwIfAborted());
    const reply = await Promise.race([
      call(action, JSON.parse(new TextDecoder().decode(body))),
      aborted as Promise<never>,
    ]);
    const response = {
      statusCode: reply.status,
      headers: { 'content-type': 'application/x-amz-json-1.0' },
      body: Buffer.from(JSON.stringify(reply.body)),
    };
    return { response } as never;
  }
}
