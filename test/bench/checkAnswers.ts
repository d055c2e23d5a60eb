import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Deployment, Variant } from './coldVariants.ts';
import { type MeasuredOperation, newPet, requestEvent } from './events.ts';
import { type FunctionAnswer, RuntimeApi } from './RuntimeApi.ts';
import type { Engine } from './startEngine.ts';
import { startFunction } from './startFunction.ts';

type Deployments = ReadonlyMap<Variant, Record<MeasuredOperation, Deployment>>;

/**
 * Lets nothing be timed that does not do the work.
 *
 * Through the same runtime client as later: each creates a pet with all of its digits, lists the
 * same text, and refuses a key that nobody was given.
 */
export async function checkAnswers(deployments: Deployments, engine: Engine): Promise<void> {
  const lists = new Map<string, string>();
  const lastIds: bigint[] = [];
  for (const [{ name, isService }, { createPet, listPets }] of deployments) {
    const event = (operation: MeasuredOperation, apiKey = engine.apiKey) =>
      requestEvent(operation, apiKey, operation === 'listPets' ? { limit: '100' } : {});
    const [created, createdAgain, refused] = await answers(createPet, engine, [
      event('createPet'),
      event('createPet'),
      event('createPet', `${engine.apiKey}x`),
    ]);
    const [listed] = await answers(listPets, engine, [event('listPets')]);
    if (!isService) continue;

    const { name: petName, categoryId, status } = newPet;
    const form = `{"id":(\\d+),"name":"${petName}","categoryId":${categoryId},"status":"${status}"}`;
    for (const answer of [created, createdAgain]) {
      assert.equal(answer?.statusCode, 201, `${name}: ${answer?.body}`);
      const id = BigInt(new RegExp(`^${form}$`).exec(answer.body)?.[1] ?? 0);
      assert(id > (lastIds.at(-1) ?? 0n), `${name} answered ${answer.body}`);
      lastIds.push(id);
    }
    assert.equal(refused?.statusCode, 401, `${name} let a wrong key pass`);
    assert.equal(listed?.statusCode, 200, `${name}: ${listed?.body}`);
    assert.equal(JSON.parse(listed.body).length, 100, name);
    lists.set(listed.body, name);
  }
  assert(lists.size <= 1, `Not the same list: ${[...lists.values()].join(', ')}`);
}

async function answers(
  deployment: Deployment,
  { environment }: Engine,
  events: unknown[],
): Promise<FunctionAnswer[]> {
  const runtimeApi = await RuntimeApi.start();
  const child = startFunction({ deployment, environment, runtimeApi, cpu: 'full' });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const closed = once(child, 'close');
  const died = closed.then(() => Promise.reject(new Error(`${deployment.taskRoot}: ${errors}`)));
  died.catch(() => {});
  try {
    const received: FunctionAnswer[] = [];
    for (const event of events) {
      const { answer } = await Promise.race([runtimeApi.invoke(event), died]);
      received.push(answer);
    }
    return received;
  } finally {
    child.kill('SIGKILL');
    await closed;
    runtimeApi.stop();
  }
}
