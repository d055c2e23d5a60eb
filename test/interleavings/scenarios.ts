import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { apiKeyDigest, apiKeyId } from '../../lib/apiKeys/apiKey.ts';
import { fingerprintOf } from '../../lib/dynamodb/idempotency.ts';
import { idIn, petNamed, petText, storedPet } from '../helpers/samplePets.ts';
import type { Point } from './coverage.ts';
import { faultKinds } from './faults.ts';
import { apiKeys, dayMs, type Exchange, type Request, type Simulation } from './Simulation.ts';

/** What happens in a run, and the points that it is there for. Some runs must reach each of them. */
function scenario<T>(
  points: [Point, ...Point[]],
  input: fc.Arbitrary<T>,
  run: (simulation: Simulation, input: T) => Promise<unknown>,
) {
  return {
    points,
    run: input.map((value) => (simulation: Simulation) => run(simulation, value)),
  };
}

const key = 'order-1';

/** Sends a request. With an Idempotency-Key, sends it again after a 5xx. */
async function create(
  simulation: Simulation,
  on: string,
  request: Partial<Request>,
): Promise<Exchange> {
  const send = (name: string) => simulation.send({ operation: 'createPet', ...request }, name);
  let exchange = await send(on);
  for (let retry = 1; request.idempotencyKey && exchange.status >= 500 && retry < 3; retry += 1) {
    exchange = await send(`${on}${retry}`);
  }
  return exchange;
}

type Creation = Partial<Request> & { on: string };

const bodyOf = (name: string) => petText(petNamed(name));

/** The name of a pet says which creation it belongs to. */
const creations: fc.Arbitrary<Creation[]> = fc
  .array(
    fc.record({
      on: fc.constantFrom('A', 'B', 'C'),
      idempotencyKey: fc.constantFrom(key, key, key, 'order-2', undefined),
      apiKey: fc.constantFrom('first', 'first', 'first', 'second'),
      name: fc.constantFrom('Rex', 'Rex', 'Rex', 'Mia'),
    }),
    { minLength: 2, maxLength: 4 },
  )
  .map((requests) =>
    requests.map(({ name, ...request }, n) => ({
      ...request,
      body: bodyOf(`${name} of ${request.apiKey} ${request.idempotencyKey ?? n}`),
    })),
  );

function createAll(simulation: Simulation, requests: Creation[]): Promise<Exchange[]> {
  return Promise.all(requests.map(({ on, ...request }) => create(simulation, on, request)));
}

function setCounter({ database }: Simulation, lastId: number): void {
  database.put('pets', { pk: { S: 'COUNTER' }, lastId: { N: String(lastId) } });
}

/** Stores pets with these ids, and the counter at the last one. */
function storePets(simulation: Simulation, firstId: number, lastId: number): void {
  for (let id = firstId; id <= lastId; id += 1) {
    const changes = { ...petNamed(`Pet ${id}`), token: 'other' };
    simulation.database.put('pets', marshall(storedPet(BigInt(id), changes)));
  }
  setCounter(simulation, lastId);
}

function deleteExpiredRecords({ database, nowMs }: Simulation): void {
  for (const { scopedKey, expiresAtEpochSeconds } of database.items('idempotency')) {
    if (!scopedKey || Number(expiresAtEpochSeconds?.N) * 1000 > nowMs) continue;
    database.execute('DeleteItem', { TableName: 'idempotency', Key: { scopedKey } });
  }
}

export const scenarios = {
  'creations race': scenario(
    [
      'an attempt finds its own pet',
      ...faultKinds,
      'a retry finishes the pet of another request',
      'a retry gets the same pet',
      'another body gets 422',
    ],
    creations,
    async (simulation, requests) => {
      const [first] = await createAll(simulation, requests);
      if (first?.status !== 201) return;
      const pathParameters = { petId: idIn(first.body) };
      await simulation.send({ operation: 'getPet', pathParameters }, 'reader');
    },
  ),

  'the counter is set back while creations race': scenario(
    ['an id is taken', 'a record gets another id', 'two requests change the id of a record'],
    fc.record({ requests: creations, lastId: fc.integer({ min: 1, max: 4 }) }),
    async (simulation, { requests, lastId }) => {
      storePets(simulation, 1, lastId);
      const setBack = simulation.happens('the counter is set back', () =>
        setCounter(simulation, 0),
      );
      await Promise.all([createAll(simulation, requests), setBack]);
    },
  ),

  'a key is used at and after the end of its 24 hours': scenario(
    [
      'a retry gets the same pet 24 hours later',
      'another body gets 422',
      'an expired record is replaced',
    ],
    fc.record({
      on: fc.constantFrom('A', 'B'),
      body: fc.constantFrom(bodyOf('Rex'), bodyOf('Mia')),
      isDeleted: fc.boolean(),
    }),
    async (simulation, { on, body, isDeleted }) => {
      const order = { idempotencyKey: key, body: bodyOf('Rex') };
      const [first] = await Promise.all([create(simulation, 'A', order), simulation.passes(10)]);
      if (first.status !== 201) return;
      simulation.nowMs = first.receivedAtMs + dayMs;
      await Promise.all([create(simulation, on, { ...order, body }), simulation.passes(29)]);
      await simulation.passes(10 * 60);
      await Promise.all([
        create(simulation, 'C', { ...order, body: bodyOf('Mia') }),
        create(simulation, 'D', { ...order, body: bodyOf('Mia') }),
        isDeleted && simulation.passes(1, () => deleteExpiredRecords(simulation)),
      ]);
    },
  ),

  'a record whose id is taken expires while retries use it': scenario(
    [
      'an id is taken',
      'a record gets another id',
      'a record disappears before it gets another id',
      'two requests change the id of a record',
    ],
    fc.record({
      instances: fc.subarray(['A', 'C'], { minLength: 1 }),
      seconds: fc.integer({ min: 2, max: 8 }),
    }),
    async (simulation, { instances, seconds }) => {
      storePets(simulation, 1, 1);
      const pet = 'Rex';
      const body = bodyOf(pet);
      const request = { operation: 'createPet', idempotencyKey: key, body } as const;
      const times = { sentAtMs: simulation.nowMs, receivedAtMs: simulation.nowMs };
      // The request that wrote the record died before it stored a pet.
      simulation.exchanges.push({ request, status: 502, body: 'no response', ...times });
      simulation.database.put('idempotency', {
        scopedKey: { S: `pets#${apiKeyId(apiKeyDigest(apiKeys.first))}#${key}` },
        resourceId: { N: '1' },
        token: { S: 'died' },
        fingerprint: { S: fingerprintOf(petNamed(pet)) },
        expiresAtEpochSeconds: { N: String(simulation.nowMs / 1000 + seconds) },
      });
      const expire = async () => {
        for (let n = 0; n < seconds; n += 1) {
          await simulation.passes(1, () => deleteExpiredRecords(simulation));
        }
      };
      const retries = instances.map((on) => create(simulation, on, request));
      await Promise.all([...retries, expire()]);
    },
  ),
};

export type ScenarioName = keyof typeof scenarios;

export const scenarioNames = Object.keys(scenarios) as ScenarioName[];
