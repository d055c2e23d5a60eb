import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  type CpuShare,
  cpuShares,
  pinHarness,
  prepareCpuShare,
  removeCpuShare,
} from './cpuShare.ts';
import { startEngine } from './engine.ts';
import { installPackages } from './installPackages.ts';
import { type FunctionResponse, RuntimeApi, startFunction } from './lambdaRuntime.ts';
import { coldReport, leverReport, publish, type Run } from './performanceReport.ts';
import { readBenchOptions, shuffled } from './readBenchOptions.ts';
import {
  checkCreated,
  checkListed,
  type MeasuredOperation,
  measuredOperations,
  requestEvent,
} from './requests.ts';
import { buildVariants, coldVariants, type Variant } from './variants.ts';

// Measures cold starts: from the start of the process to the first response, through Lambda's own
// runtime client. `npm run bench:cold -- --help` lists the options.

const { rounds, variants, leftOut, cpu, isWritten } = readBenchOptions('cold', coldVariants);
const chosenCpus = cpu ?? (leftOut ? ['full', '512 MB'] : cpuShares);
const cpus = cpuShares.filter((share) => chosenCpus.includes(share));
if (cpus.length !== chosenCpus.length) throw new Error(`--cpu takes ${cpuShares.join(', ')}.`);

// aws-lambda-ric compiles its HTTP client for minutes, with a C++ compiler and cmake.
installPackages(import.meta.dirname);
pinHarness();
if (cpus.some((share) => share !== 'full')) prepareCpuShare();
const deploymentOf = await buildVariants(variants, 'cold');
const { environment, apiKey, stop } = await startEngine();
try {
  await checkVariants();
  const runs: Run[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const share of cpus) {
      for (const operation of measuredOperations) {
        for (const variant of shuffled(variants))
          runs.push(await measure(variant, operation, share));
      }
    }
    process.stderr.write(`\rround ${round} of ${rounds}`);
  }
  process.stderr.write('\n');
  const tables = leftOut ? leverReport(runs, leftOut) : coldReport(runs, variants);
  publish(tables, { section: leftOut ? 'cold levers' : 'cold', rounds, isWritten });
} finally {
  stop();
  removeCpuShare();
}

/** Starts a function, sends it requests, and ends it. */
async function run(
  variant: Variant,
  operation: MeasuredOperation,
  share: CpuShare,
  events: unknown[],
) {
  const deployment = deploymentOf(variant, operation);
  const runtimeApi = await RuntimeApi.start();
  const startedAtMs = performance.now();
  const child = startFunction({ deployment, environment, runtimeApi, cpu: share });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const closed = once(child, 'close');
  const died = closed.then(() => Promise.reject(new Error(`${variant.name} ended: ${errors}`)));
  died.catch(() => {});
  try {
    const invocations = [];
    for (const event of events) {
      invocations.push(await Promise.race([runtimeApi.invoke(event), died]));
    }
    return { initMs: runtimeApi.readyAtMs - startedAtMs, invocations };
  } finally {
    child.kill('SIGKILL');
    await closed;
    runtimeApi.stop();
  }
}

async function measure(
  variant: Variant,
  operation: MeasuredOperation,
  share: CpuShare,
): Promise<Run> {
  const event = requestEvent(operation, apiKey);
  const { initMs, invocations } = await run(variant, operation, share, [event]);
  const [{ sentAtMs, respondedAtMs, response } = assert.fail()] = invocations;
  assert(response.statusCode < 300, `${variant.name}: ${response.body}`);
  const invocationMs = respondedAtMs - sentAtMs;
  // Not from end to end: in between, the bench may move the process into its control group.
  const totalMs = initMs + invocationMs;
  return { variant: variant.name, operation, cpu: share, initMs, invocationMs, totalMs };
}

/**
 * Checks that each variant does the work before anything is timed.
 *
 * Each creates pets with all of their digits and increasing ids, lists the same text, and refuses a
 * wrong key. Each runs in the same runtime client as when it is timed.
 */
async function checkVariants(): Promise<void> {
  const lists = new Map<string, string>();
  let lastId = 0n;
  for (const variant of variants) {
    const [created, createdNext, refused] = await responses(variant, 'createPet', [
      requestEvent('createPet', apiKey),
      requestEvent('createPet', apiKey),
      requestEvent('createPet', `${apiKey}x`),
    ]);
    const [listed] = await responses(variant, 'listPets', [
      requestEvent('listPets', apiKey, { limit: '100' }),
    ]);
    if (!variant.isService) continue;

    for (const response of [created, createdNext]) {
      const id = checkCreated(response ?? assert.fail());
      assert(id > lastId, `${variant.name} used the id ${id} twice.`);
      lastId = id;
    }
    assert.equal(refused?.statusCode, 401, `${variant.name} accepted a wrong key.`);
    lists.set(checkListed(listed ?? assert.fail()), variant.name);
  }
  assert(lists.size <= 1, `These lists differ: ${[...lists.values()].join(', ')}`);
}

async function responses(
  variant: Variant,
  operation: MeasuredOperation,
  events: unknown[],
): Promise<FunctionResponse[]> {
  const { invocations } = await run(variant, operation, 'full', events);
  return invocations.map(({ response }) => response);
}
