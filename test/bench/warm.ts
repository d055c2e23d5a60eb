import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { runCommand } from '../../infra/tools/command.ts';
import { createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { installPackages } from '../helpers/installPackages.ts';
import { deployedEnvironment, stage } from './cold/engine.ts';
import { chosenVariants, defineBench } from './defineBench.ts';
import { printReport, showRound } from './report.ts';
import {
  checkResponse,
  type FunctionResponse,
  type MeasuredOperation,
  measuredOperations,
  requestEvent,
} from './requests.ts';
import { median, shuffled } from './stats.ts';
import { buildVariants, type Deployment, type Variant, warmVariants } from './variants.ts';

const apiKey = createApiKey(stage);

/** V8 compiles most of the code in this time. The bench measures the state after that. */
const warmUpRequests = 2_500;

/** In each round, the warm processes take turns, so that disturbances affect all of them. */
const turnsPerRound = 5;
const requestsPerTurn = 100;

const events = {
  createPet: requestEvent('createPet', apiKey),
  listPets: requestEvent('listPets', apiKey, { limit: '100', status: 'available' }),
};

export const warm = defineBench(
  'bench',
  'Measures the CPU time of a request to a running function.',
  warmVariants,
  12,
).action(async (options) => {
  const { rounds } = options;
  const variants = await chosenVariants(warmVariants, options);
  installPackages(import.meta.dirname);
  const deploymentOf = await buildVariants(variants, {
    '@smithy/node-http-handler': join(import.meta.dirname, 'warm', 'cannedDatabase.js'),
  });

  const runs: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const operation of measuredOperations) {
      const deployments = variants.map((variant) => deploymentOf(variant, operation));
      runs.push({ operation, cpuUs: await measureRound(deployments, operation) });
    }
    showRound(round, rounds);
  }
  report(variants, runs, rounds);
});

/** The CPU time of one request to each variant. */
type Round = { operation: MeasuredOperation; cpuUs: number[] };

/** Warms up a new process of each variant, and measures them in turns. */
async function measureRound(
  deployments: readonly Deployment[],
  operation: MeasuredOperation,
): Promise<number[]> {
  const processes = deployments.map((deployment) => ({
    child: startProcess(deployment, operation),
    turnsUs: [] as number[],
  }));
  await Promise.all(processes.map(({ child }) => send(child, warmUpRequests)));
  for (let turn = 1; turn <= turnsPerRound; turn += 1) {
    for (const { child, turnsUs } of shuffled(processes)) {
      const { cpuUs, response } = await send(child, requestsPerTurn);
      checkResponse(operation, response, 100);
      turnsUs.push(cpuUs);
    }
  }
  for (const { child } of processes) child.kill();
  return processes.map(({ turnsUs }) => median(turnsUs));
}

/** Sends requests to a process, and returns the CPU time of one and the last response. */
async function send(child: ChildProcess, requests: number) {
  child.send(requests);
  const [message] = await once(child, 'message');
  return message as { cpuUs: number; response: FunctionResponse };
}

/** A process that fails has written why, and ends the run. */
function startProcess({ taskRoot }: Deployment, operation: MeasuredOperation): ChildProcess {
  const args = [join(taskRoot, 'index.mjs'), JSON.stringify(events[operation])];
  const child = fork(join(import.meta.dirname, 'warm', 'measure.js'), args, {
    execArgv: ['--max-semi-space-size=25', '--max-old-space-size=462'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      AWS_LAMBDA_FUNCTION_NAME: 'pet',
      AWS_LAMBDA_FUNCTION_VERSION: '1',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
      BENCH_API_KEY: apiKey,
      ...deployedEnvironment,
    },
  });
  child.on('exit', (_code, signal) => signal !== 'SIGTERM' && process.exit(1));
  return child;
}

function report(variants: readonly Variant[], runs: readonly Round[], rounds: number): void {
  const head = measuredOperations.flatMap((name) => [`${name}: µs`, 'service ÷ this']);
  const rows = variants.map(({ description }, index) => [
    description,
    ...measuredOperations.flatMap((operation) => {
      const own = runs.filter((run) => run.operation === operation).map(({ cpuUs }) => cpuUs);
      const timesUs = own.map((cpuUs) => cpuUs[index] ?? assert.fail());
      const ratios = timesUs.map((us, round) => (own[round]?.[0] ?? assert.fail()) / us);
      return [median(timesUs).toFixed(0), median(ratios).toFixed(2)];
    }),
  ]);
  printReport(`CPU time of a request, medians of ${rounds} rounds`, ['', ...head], rows);
}

if (import.meta.main) await runCommand(warm);
