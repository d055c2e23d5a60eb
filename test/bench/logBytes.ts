import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { functionEnvironment } from '../../infra/functionEnvironment.ts';
import { openLocalDatabase } from '../../infra/local/localDatabase.ts';
import { defineCommand, print, runCommand } from '../../infra/tools/command.ts';
import type { RawEvent } from '../../lib/http/event.ts';
import type { Handler } from '../../lib/http/handler.ts';
import { fillTables, tableNames } from '../helpers/fillTables.ts';
import {
  type MeasuredBytes,
  type RequestBytes,
  type RequestName,
  requestBytesFile,
} from './cost/requestBytes.ts';
import { markdownTable } from './report.ts';

// CloudWatch bills what the functions write. `npm run cost` reads the file.

const stage = 'v1-production';

export const logBytes = defineCommand(
  'bench:log',
  'Measures how many bytes a request logs and sends.',
)
  .option('--write', `update ${requestBytesFile}, which npm run cost reads`)
  .action(async ({ write }) => {
    const measured = await measure();
    const rows = Object.entries(measured.requests).map(([name, bytes]) =>
      [name, bytes.functionLog, bytes.metrics.length, bytes.body, bytes.gzippedBody].map(String),
    );
    print(markdownTable(['Bytes', 'Function log', 'Metrics', 'Body', 'Body in gzip'], rows));
    print(`Access log: ${measured.accessLog} bytes`);
    if (write) writeFileSync(requestBytesFile, `${JSON.stringify(measured, null, 2)}\n`);
  });

/** Runs in a process of its own: it sets the environment of the functions. */
async function measure(): Promise<MeasuredBytes> {
  const database = await openLocalDatabase();
  Object.assign(
    process.env,
    functionEnvironment({ stage, tableNames, shards: 1, idsPerLease: 10 }),
    {
      AWS_LAMBDA_FUNCTION_VERSION: '42',
      METRICS: 'on',
      _X_AMZN_TRACE_ID: 'Root=1-5759e988-bd862e3fe1be46a994272793',
      // As long as those of a release, see `ServiceFunction`.
      RELEASE: '1.0.0+0123456789ab.0123456789ab',
    },
  );

  // Imported after the assignment, because lib/config.ts reads the environment when it loads.
  const { handler: createPet } = await import('../../functions/createPet.ts');
  const { handler: listPets } = await import('../../functions/listPets.ts');
  const { handler: getPet } = await import('../../functions/getPet.ts');
  const apiKey = await fillTables(stage, 200);

  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
  const first = { path: '/v1/pets/1', pathParameters: { petId: '1' } };
  const calls: Record<RequestName, [operation: string, Handler, RawEvent]> = {
    createPet: ['createPet', createPet, { headers, body: '{"name":"Rex","categoryId":7}' }],
    getPet: ['getPet', getPet, { headers, ...first }],
    'listPets of 20': ['listPets', listPets, { headers }],
    'listPets of 100': ['listPets', listPets, { headers, queryStringParameters: { limit: '100' } }],
    'listPets without a key': ['listPets', listPets, {}],
    'createPet without a name': ['createPet', createPet, { headers, body: '{}' }],
  };
  const requests: Record<string, RequestBytes> = {};
  for (const [name, [operation, handler, event]] of Object.entries(calls)) {
    const send = () => handler({ ...commonEvent(), ...event }, context(operation));
    await capture(send); // the first request of an instance also reads the API key
    requests[name] = bytesOf(await capture(send));
  }
  await database.stop();
  return { accessLog: await accessLogBytes(), requests: requests as MeasuredBytes['requests'] };
}

function commonEvent(): RawEvent {
  const requestId = crypto.randomUUID();
  const domainName = 'abcdefghij.execute-api.us-east-1.amazonaws.com';
  return { path: '/v1/pets', requestContext: { requestId, domainName } };
}

/** Its values are as long as those of Lambda. */
function context(operation: string) {
  const functionName = `PetStore-${stage}-${operation}Function0123456789AB`;
  return {
    functionName,
    functionVersion: '42',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:123456789012:function:${functionName}:live`,
    memoryLimitInMB: '1024',
    awsRequestId: crypto.randomUUID(),
    getRemainingTimeInMillis: () => 10_000,
  };
}

type Captured = { body: string; log: string };

async function capture(send: () => ReturnType<Handler>): Promise<Captured> {
  const { write } = process.stdout;
  let log = '';
  process.stdout.write = (chunk: string | Uint8Array) => {
    log += chunk;
    return true;
  };
  try {
    const { body } = await send();
    return { body, log };
  } finally {
    process.stdout.write = write;
  }
}

type EmbeddedMetrics = {
  CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[];
};

function bytesOf({ body, log }: Captured): RequestBytes {
  const [text = '', ...others] = log.trimEnd().split('\n');
  assert.deepEqual(others, [], 'A request writes one line.');
  const line: Record<string, unknown> & { _aws?: EmbeddedMetrics } = JSON.parse(text);
  const metrics = (line._aws?.CloudWatchMetrics ?? []).flatMap(({ Dimensions, Metrics }) =>
    Metrics.map(({ Name }) => [Name, ...Dimensions.flat().map((name) => line[name])].join(' ')),
  );
  // A duration of two digits, so that each run counts the same bytes.
  const counted = JSON.stringify({ ...line, durationMs: 20 });
  return {
    functionLog: Buffer.byteLength(counted) + 1,
    metrics,
    body: Buffer.byteLength(body),
    gzippedBody: gzipSync(body).length,
  };
}

/** The bytes of a line of the access log, with values as long as those of a request that succeeds. */
async function accessLogBytes(): Promise<number> {
  // Imported on demand: it loads the CDK, which --help does not need.
  const { accessLogFields } = await import('../../infra/constructs/AccessLog.ts');
  const uuid = crypto.randomUUID();
  const values: Record<keyof typeof accessLogFields, string> = {
    requestId: uuid,
    functionRequestId: uuid,
    traceId: '1-5759e988-bd862e3fe1be46a994272793',
    sourceIp: '203.0.113.123',
    method: 'POST',
    resourcePath: '/v1/pets',
    status: '201',
    latencyMs: '25',
    integrationLatencyMs: '23',
    responseBytes: '95',
    gatewayResponse: '-',
  };
  const line = Object.keys(accessLogFields).map((name) => [name, values[name as 'status']]);
  return JSON.stringify(Object.fromEntries(line)).length + 1;
}

if (import.meta.main) await runCommand(logBytes);
