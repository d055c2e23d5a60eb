import { idIn } from '../helpers/petText.ts';
import type { Client, ClientRequest } from './Client.ts';
import type { Instance } from './Fleet.ts';
import type { Creation, Ledger } from './Ledger.ts';
import { listPage, type Place, startOfList } from './listPage.ts';
import { pick } from './seededRandom.ts';

export type Workload = {
  client: Client;
  ledger: Ledger;
  random: () => number;
  /** Returns a running instance, as soon as there is one. */
  instance: () => Promise<Instance>;
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

/** Does one random thing that a client can do. */
export async function act(workload: Workload): Promise<void> {
  const chance = workload.random();
  if (chance < 0.35) await create(workload, newCreation(workload));
  else if (chance < 0.6) await createOnce(workload);
  else if (chance < 0.65) await retryEarlier(workload);
  else if (chance < 0.85) await readBack(workload);
  else await listPages(workload);
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
    ledger.violations.push(`${expected} was sent, but ${received.text} acknowledged`);
  }
  ledger.acknowledge(creation, received.text);
}

function creationRequest({ name, categoryId, status, idempotencyKey }: Creation): ClientRequest {
  return {
    method: 'POST',
    path: '/pets',
    headers: {
      'Content-Type': 'application/json',
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    body: `{"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`,
    expectedStatus: 201,
  };
}

/** Sends a creation several times at once, and retries after a failure, as a good client does. */
async function createOnce(workload: Workload): Promise<void> {
  const { ledger, random } = workload;
  const creation = newCreation(workload, `key-${ledger.creations.length}`);
  const copies = pick(random, [1, 1, 2, 3]);
  for (let attempt = 1; attempt <= 3 && !creation.acknowledgement; attempt += 1) {
    await Promise.all(Array.from({ length: copies }, () => create(workload, creation)));
  }
}

async function retryEarlier(workload: Workload): Promise<void> {
  const earlier = anyAcknowledged(workload, ({ idempotencyKey }) => idempotencyKey !== undefined);
  if (earlier) await create(workload, earlier);
}

async function readBack(workload: Workload): Promise<void> {
  const earlier = anyAcknowledged(workload);
  if (earlier) await read(workload, earlier);
}

async function read({ client, ledger, instance }: Workload, { acknowledgement = '' }: Creation) {
  const path = `/pets/${idIn(acknowledgement)}`;
  const received = await client.send(await instance(), { path, expectedStatus: 200 });
  if (received && received.text !== acknowledgement) {
    ledger.violations.push(`${acknowledgement} was acknowledged, but ${received.text} read`);
  }
}

/** Lists a random number of pages, from the first one. */
async function listPages(workload: Workload): Promise<void> {
  const { random } = workload;
  let place: Place | undefined = startOfList(
    pick(random, ['', ...statuses]),
    pick(random, [1, 20, 100]),
  );
  do place = await listPage(workload, place);
  while (place && random() < 0.5);
}

/**
 * Reads back everything that was acknowledged, after the last fault.
 *
 * It reads pets without an Idempotency-Key by id, the others by a retry of their request, and the lists
 * page by page.
 */
export async function readBackAll(workloads: Workload[]): Promise<void> {
  const [first] = workloads;
  if (!first) return;
  first.client.isFaultFree = true;
  const left = [...first.ledger.acknowledged()];
  const reading = workloads.map(async (workload) => {
    for (let creation = left.pop(); creation; creation = left.pop()) {
      if (creation.idempotencyKey === undefined) await read(workload, creation);
      else await create(workload, creation);
    }
  });
  await Promise.all(reading);

  const lists = [startOfList('', 100), ...statuses.map((status) => startOfList(status, 7))];
  await Promise.all(lists.map((list) => walk(first, list)));
}

async function walk(workload: Workload, start: Place): Promise<void> {
  for (let place: Place | undefined = start; place; ) place = await listPage(workload, place);
}

function anyAcknowledged(
  { ledger, random }: Workload,
  isWanted: (creation: Creation) => boolean = () => true,
): Creation | undefined {
  const wanted = ledger.acknowledged().filter(isWanted);
  return wanted[Math.floor(random() * wanted.length)];
}
