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
  /** Takes what ends a request whose function runs out of time. */
  onDeadline(end: () => void): void;
};

export type StartInstance = (surroundings: Surroundings) => Service;

const entryPoint = operationEntries
  .map(([name]) => `export { handler as ${name} } from './functions/${name}.ts';`)
  .join('\n');

const environment = {
  AWS_LAMBDA_FUNCTION_NAME: 'petstore',
  AWS_REGION: 'local',
  LOG_LEVEL: 'SILENT',
  METRICS: 'off',
  ...functionEnvironment({
    stage,
    tableNames: mapTables((name) => name),
    idsPerLease: 2,
  }),
};

/**
 * Bundles the service and returns what starts an instance of it.
 *
 * The packages are evaluated once, apart from middy, which has the timer of a request. It and the
 * project's own code are evaluated for each instance, because their module state is that of an instance.
 */
export async function loadService(): Promise<StartInstance> {
  const { outputFiles, metafile } = await build({
    stdin: { resolveDir: join(import.meta.dirname, '../..'), contents: entryPoint },
    bundle: true,
    external: ['@aws-sdk/*', '@middy/http-*', '@middy/util', 'zod'],
    platform: 'node',
    format: 'cjs',
    banner: { js: '(function (module, require, process, Date) {' },
    footer: { js: '})' },
    metafile: true,
    write: false,
  });
  const evaluate = new Script(outputFiles[0]?.text ?? '').runInThisContext();
  const packages = await importPackages(Object.values(metafile.outputs)[0]?.imports ?? []);

  return function startInstance({ nowMs, call, onDeadline }) {
    const module = { exports: {} as Service };
    const InstanceDate = class extends Date {
      static override now = nowMs;
    };
    const replaced: Record<string, object> = {
      '@aws-sdk/client-dynamodb': Object.create(packages.get('@aws-sdk/client-dynamodb') ?? null, {
        DynamoDBClient: { value: clientOf(call), enumerable: true },
      }),
      'node:timers': { setTimeout: onDeadline },
    };
    const require = (name: string) => replaced[name] ?? packages.get(name);
    evaluate(module, require, { ...process, env: environment }, InstanceDate);
    return module.exports;
  };
}

/** Each package as the bundle imports it. esbuild takes the whole module as its default export. */
async function importPackages(imports: { path: string }[]): Promise<Map<string, object>> {
  const packages = new Map<string, object>();
  for (const { path } of imports) {
    const exports = await import(path);
    const isFunction = typeof exports.default === 'function';
    // esbuild copies own properties for each import, and inherits the others.
    packages.set(path, isFunction ? exports.default : Object.create(exports));
  }
  return packages;
}

/** The SDK's own client, with its retries, on calls instead of connections. */
function clientOf(call: Surroundings['call']): typeof DynamoDBClient {
  return class extends DynamoDBClient {
    constructor(settings: DynamoDBClientConfig) {
      super({
        ...settings,
        credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
        requestHandler: { handle },
      });
    }
  };

  async function handle({ headers, body }: { headers: Record<string, string>; body?: Uint8Array }) {
    const action = headers['x-amz-target']?.split('.')[1] ?? '';
    const reply = await call(action, JSON.parse(new TextDecoder().decode(body)));
    const response = {
      statusCode: reply.status,
      headers: { 'content-type': 'application/x-amz-json-1.0' },
      body: Buffer.from(JSON.stringify(reply.body)),
    };
    return { response } as never;
  }
}
