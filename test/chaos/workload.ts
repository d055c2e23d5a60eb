import { createApiKey } from '../../lib/apiKey.ts';
import type { Client, Sent } from './Client.ts';
import type { Instance } from './Instance.ts';
import { type Creation, idIn, type Ledger } from './Ledger.ts';
import { pick } from './seededRandom.ts';

export type Workload = {
  client: Client;
  ledger: Ledger;
  random: () => number;
  /** One that runs; resolves once there is one. */
  instance: () => Promise<Instance>;
  /** Whose keys are refused by nothing but the database. */
  stage: string;
};

const statuses = ['available', 'pending', 'sold'] as const;
const categoryIds = [
  '0',
  '7',
  '-1',
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
] as const;
const endings = ['', ' 🐕', ' "quoted"', ' line\nbreak', ` ${'x'.repeat(200)}`] as const;

/** Does one thing that a client may do, chosen by chance. */
export async function act(workload: Workload): Promise<void> {
  const chance = workload.random();
  if (chance < 0.3) await create(workload, newCreation(workload));
  else if (chance < 0.55) await createOnce(workload);
  else if (chance < 0.6) await repeatEarlier(workload);
  else if (chance < 0.65) await reuseKey(workload);
  else if (chance < 0.8) await readBack(workload);
  else if (chance < 0.83) await readUnknown(workload);
  else if (chance < 0.95) await listPage(workload);
  else await intrude(workload);
}

function newCreation({ ledger, random }: Workload, idempotencyKey?: string): Creation {
  const creation: Creation = {
    name: `pet ${ledger.creations.length}${pick(random, endings)}`,
    categoryId: pick(random, categoryIds),
    status: pick(random, statuses),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
  ledger.creations.push(creation);
  return creation;
}

async function create({ client, ledger, instance }: Workload, creation: Creation) {
  const received = await client.send(await instance(), creationRequest(creation));
  if (received?.status !== 201) return;
  const expected = `{"id":${idIn(received.text)},"name":${JSON.stringify(creation.name)},"categoryId":${creation.categoryId},"status":"${creation.status}"}`;
  if (received.text !== expected) {
    ledger.violations.push(`${expected} was sent, and ${received.text} acknowledged`);
  }
  ledger.acknowledge(creation, received.text);
}

function creationRequest({ name, categoryId, status, idempotencyKey }: Creation): Sent {
  return {
    method: 'POST',
    path: '/pets',
    headers: {
      'Content-Type': 'application/json',
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    body: `{"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`,
    expected: [201],
  };
}

/** Sends one creation from several sides at once and again after a failure, as good clients do. */
async function createOnce(workload: Workload): Promise<void> {
  const { ledger, random } = workload;
  const creation = newCreation(workload, `key-${ledger.creations.length}`);
  const copies = pick(random, [1, 1, 2, 3]);
  for (let attempt = 1; attempt <= 3 && !creation.acknowledgement; attempt += 1) {
    await Promise.all(Array.from({ length: copies }, () => create(workload, creation)));
  }
}

async function repeatEarlier(workload: Workload): Promise<void> {
  const earlier = anyAcknowledged(workload, ({ idempotencyKey }) => idempotencyKey !== undefined);
  if (earlier) await create(workload, earlier);
}

async function reuseKey(workload: Workload): Promise<void> {
  const { client, ledger, instance } = workload;
  const earlier = anyAcknowledged(workload, ({ idempotencyKey }) => idempotencyKey !== undefined);
  if (!earlier) return;
  const name = `reuse of ${earlier.idempotencyKey}`;
  ledger.forbiddenNames.push(name);
  await client.send(await instance(), {
    ...creationRequest({ ...earlier, name }),
    expected: [422],
  });
}

async function readBack(workload: Workload): Promise<void> {
  const earlier = anyAcknowledged(workload);
  if (earlier) await read(workload, earlier);
}

async function read({ client, ledger, instance }: Workload, { acknowledgement = '' }: Creation) {
  const path = `/pets/${idIn(acknowledgement)}`;
  const received = await client.send(await instance(), { path, expected: [200] });
  if (received && received.text !== acknowledgement) {
    ledger.violations.push(`${acknowledgement} was acknowledged, and ${received.text} read`);
  }
}

async function readUnknown({ client, instance, random }: Workload): Promise<void> {
  const id = pick(random, ['9223372036854775807', '0', 'x', '9000000000000000000']);
  await client.send(await instance(), { path: `/pets/${id}`, expected: [404] });
}

async function listPage({ client, ledger, instance, random }: Workload): Promise<void> {
  const status = pick(random, ['', ...statuses]);
  const limit = pick(random, [1, 20, 100]);
  const path = `/pets?limit=${limit}${status && `&status=${status}`}`;
  const received = await client.send(await instance(), { path, expected: [200] });
  const pets: { id: number; status: string }[] = JSON.parse(received?.text ?? '[]');
  const isRight = pets.every(
    (pet, n) => pet.id > (pets[n - 1]?.id ?? 0) && (status === '' || pet.status === status),
  );
  if (!isRight || pets.length > limit) ledger.violations.push(`${path} → ${received?.text}`);
}

/** Asks and writes without a key that is valid: one that is none, or one that was never issued. */
async function intrude({ client, ledger, instance, random, stage }: Workload): Promise<void> {
  const Authorization = pick(random, ['', 'Bearer guess', `Bearer ${createApiKey(stage)}`]);
  const name = `intruder ${ledger.forbiddenNames.length}`;
  ledger.forbiddenNames.push(name);
  const request = creationRequest({ name, categoryId: '1', status: 'sold' });
  await client.send(await instance(), {
    ...request,
    headers: { ...request.headers, Authorization },
    expected: [401],
  });
}

/**
 * Asks once more for all that was acknowledged, now that nothing fails: each pet by its id, each key by
 * a repeated request, and the whole list by its pages.
 */
export async function askAgain(workloads: Workload[]): Promise<void> {
  const [first] = workloads;
  if (!first) return;
  const { client, ledger } = first;
  const left = [...ledger.acknowledged()];
  const asking = workloads.map(async (workload) => {
    for (let creation = left.pop(); creation; creation = left.pop()) {
      if (creation.idempotencyKey === undefined) await read(workload, creation);
      else await create(workload, creation);
    }
  });
  await Promise.all(asking);

  const listed: string[] = [];
  let query: string | undefined = '?limit=100';
  while (query !== undefined) {
    const page = await client.send(await first.instance(), {
      path: `/pets${query}`,
      expected: [200],
    });
    listed.push(...(page?.text.match(/\{"id":.+?"status":"\w+"\}/gs) ?? []));
    query = /\?[^>]+/.exec(page?.link ?? '')?.[0];
  }
  for (const { acknowledgement = '' } of ledger.acknowledged()) {
    const times = listed.filter((text) => text === acknowledgement).length;
    if (times !== 1) ledger.violations.push(`${acknowledgement} is listed ${times} times`);
  }
}

function anyAcknowledged(
  { ledger, random }: Workload,
  isWanted: (creation: Creation) => boolean = () => true,
): Creation | undefined {
  const wanted = ledger.acknowledged().filter(isWanted);
  return wanted[Math.floor(random() * wanted.length)];
}
