import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { runCommand } from '../../infra/tools/command.ts';
import { createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { installPackages } from '../helpers/installPackages.ts';
import { deployedEnvironment, stage } from './cold/engine.ts';
import type { FunctionResponse } from './cold/lambdaRuntime.ts';
import { defineBench, planBench, shuffled } from './defineBench.ts';
import { leverReport, publish, type Run, warmReport } from './performanceReport.ts';
import { showRound } from './report.ts';
import {
  checkResponse,
  type MeasuredOperation,
  measuredOperations,
  requestEvent,
} from './requests.ts';
import { median } from './stats.ts';
import { buildVariants, type Deployment, type Variant, warmVariants } from './variants.ts';

// Measures the CPU time of a whole process, with a database that responds from memory.

const apiKey = createApiKey(stage);

/** V8 compiles most of the code in this time. The bench measures the state after that. */
const warmUpRequests = 2_500;

/** In each round, the warm processes take turns, so that disturbances affect all of them. */
const turnsPerRound = 5;
const requestsPerTurn = 100;

const folder = import.meta.dirname;
const cannedDatabase = {
  '@smithy/node-http-handler': join(folder, 'warm', 'CannedHttpHandler.js'),
};

const events = {
  createPet: requestEvent('createPet', apiKey),
  listPets: requestEvent('listPets', apiKey, { limit: '100', status: 'available' }),
};

export const warm = defineBench(
  'bench',
  'Measures a request to a running function.',
  warmVariants,
).action(async (options) => {
  const { rounds, write: isWritten = false } = options;
  const { variants, leftOut } = planBench('bench', warmVariants, options);
  installPackages(folder);
  const deploymentOf = await buildVariants(variants, 'warm', cannedDatabase);

  const runs: Run[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const operation of measuredOperations) {
      const deployed = variants.map((variant) => ({
        variant,
        deployment: deploymentOf(variant, operation),
      }));
      runs.push(...(await measureRound(deployed, operation)));
    }
    showRound(round, rounds);
  }
  const tables = leftOut ? leverReport(runs, leftOut) : warmReport(runs, variants);
  publish(tables, { section: leftOut ? 'warm levers' : 'warm', rounds, isWritten });
});

type Deployed = { variant: Variant; deployment: Deployment };

/** Warms up a new process of each variant, and measures them in turns. */
async function measureRound(deployed: Deployed[], operation: MeasuredOperation): Promise<Run[]> {
  const processes = deployed.map(({ variant, deployment }) => {
    const child = startProcess(deployment, operation);
    return { variant, child, turnsUs: [] as number[] };
  });
  await Promise.all(processes.map(({ child }) => send(child, warmUpRequests)));
  for (let turn = 1; turn <= turnsPerRound; turn += 1) {
    for (const { variant, child, turnsUs } of shuffled(processes)) {
      const { cpuUs, response } = await send(child, requestsPerTurn);
      if (variant.isService) checkResponse(operation, response);
      turnsUs.push(cpuUs);
    }
  }
  return processes.map(({ variant, child, turnsUs }) => {
    child.kill();
    return { variant: variant.name, operation, cpu: '', cpuUs: median(turnsUs) };
  });
}

/** Sends requests to a process, and returns the CPU time of one and the last response. */
async function send(child: ChildProcess, requests: number) {
  child.send(requests);
  const [message] = await once(child, 'message');
  return message as { cpuUs: number; response: FunctionResponse };
}

/** A process that fails has written why, and ends the run. */
function startProcess({ taskRoot }: Deployment, operation: MeasuredOperation): ChildProcess {
  const file = join(taskRoot, 'index.mjs');
  const args = [file, JSON.stringify(events[operation]), apiKey];
  const child = fork(join(folder, 'warm', 'measure.js'), args, {
    execArgv: ['--max-semi-space-size=25', '--max-old-space-size=462'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      AWS_LAMBDA_FUNCTION_NAME: 'pet',
      AWS_LAMBDA_FUNCTION_VERSION: '1',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
      ...deployedEnvironment,
    },
  });
  child.on('exit', (_code, signal) => signal !== 'SIGTERM' && process.exit(1));
  return child;
}

if (import.meta.main) await runCommand(warm);
