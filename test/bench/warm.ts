import { join } from 'node:path';
import { runCommand } from '../../tools/command.ts';
import { rexFilter } from '../helpers/samplePets.ts';
import { defineBench, median, type Start, shuffled } from './defineBench.ts';
import { checkResponse, type RequestEvent } from './requests.ts';
import type { FunctionResponse } from './startFunction.ts';

/** V8 compiles most of the code in this time. The bench measures the state after that. */
const warmUpRequests = 2_500;

/** In each round, the warm processes take turns, so that disturbances affect all of them. */
const turnsPerRound = 5;
const requestsPerTurn = 100;

const memoryMb = 512;

export const warm = defineBench({
  script: 'bench',
  description: 'Measures the CPU time of a request to a running function.',
  rounds: 12,
  columns: [
    { title: 'createPet, µs', operation: 'createPet', memoryMb },
    {
      title: 'listPets of 100, µs',
      operation: 'listPets',
      query: { limit: '100', ...rexFilter },
      memoryMb,
    },
  ],
  externalPackage: '@smithy/node-http-handler',
  startDatabase: (apiKey) => ({
    environment: {
      NODE_OPTIONS: `--import ${join(import.meta.dirname, 'memoryDatabase.js')}`,
      BENCH_API_KEY: apiKey,
    },
  }),
  measureRound,
});

/** Warms up a new process of each variant, and measures them in turns. */
async function measureRound(event: RequestEvent, starts: readonly Start[]): Promise<number[]> {
  const functions = await Promise.all(starts.map((start) => start()));
  await Promise.all(functions.map(({ handle }) => handle(event, warmUpRequests)));
  const turns: { index: number; cpuUs: number; response: FunctionResponse }[] = [];
  for (let turn = 1; turn <= turnsPerRound; turn += 1) {
    for (const [index, { handle }] of shuffled(functions.entries())) {
      turns.push({ index, ...(await handle(event, requestsPerTurn)) });
    }
  }
  await Promise.all(functions.map(({ stop }) => stop()));
  for (const { response } of turns) checkResponse(event, response);
  return functions.map((_, index) =>
    median(turns.filter((turn) => turn.index === index).map(({ cpuUs }) => cpuUs)),
  );
}

if (import.meta.main) await runCommand(warm);
