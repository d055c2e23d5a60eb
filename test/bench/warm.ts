import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { functionEnvironment } from '../../infra/functionEnvironment.ts';
import { createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { checkResponse } from './checkResponses.ts';
import { type MeasuredOperation, measuredOperations, requestEvent } from './events.ts';
import { installPeers } from './installPeers.ts';
import { leverReport, publish, type Run, warmReport } from './performanceReport.ts';
import type { FunctionResponse } from './RuntimeApi.ts';
import { readBenchOptions, shuffled } from './readBenchOptions.ts';
import { buildVariants, type Variant, warmVariants } from './variants.ts';

// Measures a request to a running function: the CPU time of a whole process, with a database that
// responds from memory. `npm run bench -- --help` lists the options.

const stage = 'bench';
const apiKey = createApiKey(stage);

/** V8 compiles for thousands of requests. The bench measures the state after that. */
const warmUpRequests = 10_000;
const measuredRequests = 4_000;

const folder = import.meta.dirname;
const cannedDatabase = {
  '@smithy/node-http-handler': join(folder, 'warm', 'CannedHttpHandler.js'),
};

const events = {
  createPet: requestEvent('createPet', apiKey),
  listPets: requestEvent('listPets', apiKey, { limit: '100', status: 'available' }),
};

const { rounds, variants, leftOut, isWritten } = readBenchOptions('warm', warmVariants);
installPeers();
const deploymentOf = await buildVariants(variants, 'warm', cannedDatabase);

const runs: Run[] = [];
for (let round = 1; round <= rounds; round += 1) {
  for (const operation of measuredOperations) {
    for (const variant of shuffled(variants)) runs.push(await measure(variant, operation));
  }
  process.stderr.write(`\rround ${round} of ${rounds}`);
}
process.stderr.write('\n');
const tables = leftOut ? leverReport(runs, leftOut) : warmReport(runs, variants);
publish(tables, { section: leftOut ? 'warm levers' : 'warm', rounds, isWritten });

/** Measures in a process of its own. */
async function measure(variant: Variant, operation: MeasuredOperation): Promise<Run> {
  const file = join(deploymentOf(variant, operation).taskRoot, 'index.mjs');
  const child = fork(join(folder, 'warm', 'measure.js'), [file], {
    execArgv: ['--max-semi-space-size=25', '--max-old-space-size=462'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      AWS_LAMBDA_FUNCTION_NAME: 'pet',
      AWS_LAMBDA_FUNCTION_VERSION: '1',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'bench',
      AWS_SECRET_ACCESS_KEY: 'bench',
      AWS_SESSION_TOKEN: 'x'.repeat(800), // about as long as that of a role
      ...functionEnvironment({
        stage,
        tableNames: { pets: 'pets', apiKeys: 'api-keys', idempotency: 'idempotency' },
        shards: 1,
        idsPerLease: 1,
      }),
    },
  });
  child.send({
    event: JSON.stringify(events[operation]),
    apiKey,
    warmUpRequests,
    measuredRequests,
  });
  const failed = once(child, 'exit').then(() =>
    Promise.reject(new Error(`${variant.name} ended before it was measured.`)),
  );
  const [message] = await Promise.race([once(child, 'message'), failed]);
  const { cpuUs, response } = message as { cpuUs: number; response: FunctionResponse };
  if (variant.isService) checkResponse(operation, response);
  return { variant: variant.name, operation, cpu: '', cpuUs };
}
