import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { installPackages } from '../../helpers/installPackages.ts';
import { checkCreated, checkListed, type MeasuredOperation, requestEvent } from '../requests.ts';
import { buildVariants, type Variant } from '../variants.ts';
import { type CpuShare, pinHarness, prepareCpuShare, removeCpuShare } from './cpuShare.ts';
import { startEngine } from './engine.ts';
import { type FunctionResponse, RuntimeApi, startFunction } from './lambdaRuntime.ts';

/** The built functions, and the engine that they use. */
export type Functions = {
  deploymentOf: Awaited<ReturnType<typeof buildVariants>>;
  engine: Awaited<ReturnType<typeof startEngine>>;
};

/** Builds and checks the variants, starts an engine for them, and ends it after the measurement. */
export async function withFunctions(
  variants: readonly Variant[],
  cpus: readonly CpuShare[],
  measureAll: (functions: Functions) => Promise<void>,
): Promise<void> {
  // aws-lambda-ric compiles its HTTP client for minutes, with a C++ compiler and cmake.
  installPackages(join(import.meta.dirname, '..'));
  pinHarness();
  if (cpus.some((share) => share !== 'full')) prepareCpuShare();
  const deploymentOf = await buildVariants(variants, 'cold');
  const engine = await startEngine();
  const functions: Functions = { deploymentOf, engine };
  try {
    await checkVariants(functions, variants);
    await measureAll(functions);
  } finally {
    engine.stop();
    removeCpuShare();
  }
}

/** Starts a function, sends it requests, and ends it. */
export async function runFunction(
  { deploymentOf, engine }: Functions,
  variant: Variant,
  operation: MeasuredOperation,
  share: CpuShare,
  events: unknown[],
) {
  const deployment = deploymentOf(variant, operation);
  const runtimeApi = await RuntimeApi.start();
  const startedAtMs = performance.now();
  const child = startFunction({
    deployment,
    environment: engine.environment,
    runtimeApi,
    cpu: share,
  });
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

/**
 * Checks that each variant does the work before anything is timed.
 *
 * Each creates pets with all of their digits and increasing ids, lists the same text, and refuses a
 * wrong key. Each runs in the same runtime client as when it is timed.
 */
async function checkVariants(functions: Functions, variants: readonly Variant[]): Promise<void> {
  const { apiKey } = functions.engine;
  const lists = new Map<string, string>();
  let lastId = 0n;
  for (const variant of variants) {
    const [created, createdNext, refused] = await responses(functions, variant, 'createPet', [
      requestEvent('createPet', apiKey),
      requestEvent('createPet', apiKey),
      requestEvent('createPet', `${apiKey}x`),
    ]);
    const [listed] = await responses(functions, variant, 'listPets', [
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
  functions: Functions,
  variant: Variant,
  operation: MeasuredOperation,
  events: unknown[],
): Promise<FunctionResponse[]> {
  const { invocations } = await runFunction(functions, variant, operation, 'full', events);
  return invocations.map(({ response }) => response);
}
