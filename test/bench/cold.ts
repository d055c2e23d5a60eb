import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkAnswers } from './checkAnswers.ts';
import { type Deployment, deployVariant, variants } from './coldVariants.ts';
import {
  type CpuShare,
  cpuShares,
  pinHarness,
  prepareCpuShare,
  removeCpuShare,
} from './cpuShare.ts';
import { type MeasuredOperation, measuredOperations, requestEvent } from './events.ts';
import { installPeers } from './installPeers.ts';
import { RuntimeApi } from './RuntimeApi.ts';
import { type ColdRun, reportCold } from './reportCold.ts';
import { type Engine, startEngine } from './startEngine.ts';
import { startFunction } from './startFunction.ts';

// Measures cold starts: from the start of the process to the first answer, through Lambda's own
// runtime client. `npm run bench:cold -- --write` puts the figures into docs/performance.md.

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    only: { type: 'string' },
    cpu: { type: 'string', default: cpuShares.join() },
    write: { type: 'boolean', default: false },
  },
});
const shares = options.cpu.split(',') as CpuShare[];
const measured = variants.filter(
  ({ name }) => !options.only || options.only.split(',').includes(name),
);
const buildFolder = join(import.meta.dirname, '.build', 'cold');

async function measure(
  deployment: Deployment,
  operation: MeasuredOperation,
  cpu: CpuShare,
  { environment, apiKey }: Engine,
): Promise<Pick<ColdRun, 'initMs' | 'invocationMs' | 'totalMs'>> {
  const runtimeApi = await RuntimeApi.start();
  const answered = runtimeApi.invoke(requestEvent(operation, apiKey));
  const startedAtMs = performance.now();
  const child = startFunction({ deployment, environment, runtimeApi, cpu });
  const closed = once(child, 'close');
  const { sentAtMs, answeredAtMs, answer } = await answered;
  child.kill('SIGKILL');
  await closed;
  runtimeApi.stop();
  if (answer.statusCode >= 300) throw new Error(`${deployment.taskRoot}: ${answer.body}`);
  const initMs = runtimeApi.readyAtMs - startedAtMs;
  const invocationMs = answeredAtMs - sentAtMs;
  // Not from end to end: between the two the harness may have throttled the process.
  return { initMs, invocationMs, totalMs: initMs + invocationMs };
}

installPeers();
pinHarness();
if (shares.some((cpu) => cpu !== 'full')) prepareCpuShare();
rmSync(buildFolder, { recursive: true, force: true });
const engine = await startEngine();
try {
  const deployments = new Map(
    await Promise.all(
      measured.map(
        async (variant) =>
          [variant, await deployVariant(variant, measuredOperations, buildFolder)] as const,
      ),
    ),
  );
  await checkAnswers(deployments, engine);

  const runs: ColdRun[] = [];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const cpu of shares) {
      for (const operation of measuredOperations) {
        // Each in turn, and each time in another order: what slows the machine slows them all.
        for (const variant of shuffled(measured)) {
          const deployment = deployments.get(variant)?.[operation] as Deployment;
          const times = await measure(deployment, operation, cpu, engine);
          runs.push({ variant: variant.name, operation, cpu, ...times });
        }
      }
    }
    process.stderr.write(`\rround ${round + 1} of ${options.rounds}`);
  }
  process.stderr.write('\n');
  reportCold(runs, { isWritten: options.write });
} finally {
  engine.stop();
  removeCpuShare();
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((value) => ({ value, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
