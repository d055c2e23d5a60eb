import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { functionEnvironment } from '../../infra/functionEnvironment.ts';
import { createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { type MeasuredOperation, newPet, requestEvent } from './events.ts';
import type { FunctionAnswer } from './RuntimeApi.ts';

const stage = 'bench';
const apiKey = createApiKey(stage);

/** V8 goes on compiling for thousands of invocations; what is measured is the state after that. */
const warmUpInvocations = 10_000;
const measuredInvocations = 4_000;

const events = {
  createPet: requestEvent('createPet', apiKey),
  listPets: requestEvent('listPets', apiKey, { limit: '100', status: 'available' }),
};

type Invocations = {
  /** Of one invocation, over all threads of a process of its own. */
  cpuUs: number;
  /** To the last one. */
  answer: FunctionAnswer;
};

export async function measureWarm(
  file: string,
  operation: MeasuredOperation,
): Promise<Invocations> {
  const child = fork(join(import.meta.dirname, 'warm', 'measure.js'), [file], {
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
      AWS_SESSION_TOKEN: 'x'.repeat(800), // a role's token is about as long
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
    warmUpInvocations,
    measuredInvocations,
  });
  const [invocations] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${file} was not measured.`))),
  ])) as [Invocations];
  return invocations;
}

/** Lets no time count that was not spent on the work. */
export function checkAnswer(
  operation: MeasuredOperation,
  { statusCode, body }: FunctionAnswer,
): void {
  assert.equal(statusCode, operation === 'createPet' ? 201 : 200, body);
  assert(body.includes(`"categoryId":${newPet.categoryId}`), body);
  if (operation === 'listPets') assert.equal(JSON.parse(body).length, 100);
}
