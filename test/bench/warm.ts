import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { functionEnvironment } from '../../infra/functionEnvironment.ts';
import { createApiKey } from '../../lib/apiKey.ts';
import { type MeasuredOperation, measuredOperations, requestEvent } from './events.ts';
import { installPeers } from './installPeers.ts';
import { machine } from './machine.ts';
import { median } from './median.ts';
import { buildWarm, warmVariants } from './warmVariants.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    only: { type: 'string' },
    operations: { type: 'string', default: measuredOperations.join() },
  },
});
const stage = 'bench';
const apiKey = createApiKey(stage);
const buildFolder = join(import.meta.dirname, '.build', 'warm');

installPeers();
rmSync(buildFolder, { recursive: true, force: true });
const ops = options.operations.split(',') as MeasuredOperation[];
const list = warmVariants.filter(
  ({ name }) => !options.only || options.only.split(',').includes(name),
);
const results: Record<string, Record<string, number[]>> = {};
for (const operation of ops) {
  const files: Record<string, string> = {};
  for (const v of list) files[v.name] = await buildWarm(v, operation);
  const settings = join(buildFolder, `${operation}.json`);
  const event = requestEvent(
    operation,
    apiKey,
    operation === 'listPets' ? { limit: '100', status: 'available' } : {},
  );
  writeFileSync(
    settings,
    JSON.stringify({
      event: JSON.stringify(event),
      apiKey,
      warmUpInvocations: 3000,
      measuredInvocations: 3000,
    }),
  );
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const v of list) {
      const child = fork(
        join(import.meta.dirname, 'warm', 'measure.js'),
        [files[v.name] ?? '', settings],
        {
          execArgv: ['--expose-gc', '--max-semi-space-size=25', '--max-old-space-size=462'],
          stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
          env: {
            PATH: process.env.PATH,
            AWS_REGION: 'eu-west-1',
            AWS_ACCESS_KEY_ID: 'a',
            AWS_SECRET_ACCESS_KEY: 'b',
            AWS_SESSION_TOKEN: 'x'.repeat(800),
            AWS_LAMBDA_FUNCTION_NAME: 'pet',
            AWS_LAMBDA_FUNCTION_VERSION: '1',
            AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
            ...functionEnvironment({
              stage,
              tableNames: { pets: 'pets', apiKeys: 'keys', idempotency: 'i' },
              shards: 1,
              idsPerLease: 1,
            }),
          },
        },
      );
      const [{ cpuUs, answer }] = (await once(child, 'message')) as [
        { cpuUs: number; answer: { statusCode: number; body: string } },
      ];
      if (v.name !== 'bare')
        assert.equal(answer.statusCode, operation === 'createPet' ? 201 : 200, answer.body);
      ((results[operation] ??= {})[v.name] ??= []).push(cpuUs);
    }
  }
  process.stdout.write(`\n${operation} ${machine()}\n`);
  const bare = results[operation]?.bare ?? [];
  for (const { name } of list) {
    const us = results[operation]?.[name] ?? [];
    const beyond = us.map((each, i) => each - (bare[i] ?? 0));
    process.stdout.write(
      `${name.padEnd(12)} ${median(us).toFixed(0).padStart(6)} µs  beyond ${median(beyond).toFixed(0).padStart(6)} µs\n`,
    );
  }
}
