import type { Item } from '../DynamoDbModel.ts';
import type { Client, Received, Request } from '../Scope.ts';
import type { World } from '../World.ts';

type Creation = Partial<Pick<Request, 'apiKey' | 'idempotencyKey'>> & {
  pet?: string;
  on?: string[];
  /** How often the client sends the request if it gets a 5xx. */
  attempts?: number;
  when?: (world: World) => boolean;
};

export const key = 'order-1';

/** A client that adds a pet, and sends the request again after a 5xx if it has a key. */
export function creation(name: string, settings: Creation = {}): Client {
  const { pet = 'Rex', on = ['A'], attempts = 2, when, ...keys } = settings;
  const request: Request = {
    operation: 'createPet',
    body: { name: pet, categoryId: 7 },
    ...keys,
  };
  const maxRequests = keys.idempotencyKey === undefined ? 1 : attempts;
  const next = (received: Received[]) => {
    const last = received.at(-1);
    const isOver = last && (last.status < 500 || received.length >= maxRequests);
    return isOver ? undefined : request;
  };
  return { name, on, next, ...(when && { when }) };
}

/** A creation with the same Idempotency-Key as all others. */
export const keyed = (name: string, on: string[], more: Creation = {}) =>
  creation(name, { idempotencyKey: key, on, ...more });

/** A client that follows the links of a list, and asks for a page again after a 5xx. */
export function walk(
  name: string,
  query: Record<string, string>,
  more: Partial<Client> = {},
): Client {
  const next = (received: Received[]): Request | undefined => {
    const pages = received.filter(({ status }) => status === 200);
    const hasFailed = received.length > pages.length && received.at(-1)?.status !== 200;
    const cursor = /cursor=([^&>]+)/.exec(pages.at(-1)?.link ?? '')?.[1];
    const isRefused = hasFailed && (received.at(-1)?.status ?? 0) < 500;
    if (isRefused || (pages.length > 0 && !cursor && !hasFailed)) return undefined;
    return { operation: 'listPets', query: { ...query, ...(cursor && { cursor }) } };
  };
  return { name, on: ['L'], next, ...more };
}

export const newestPage = { limit: '2', status: 'available' };

export function petItem(id: number, shard = 0): Item {
  return {
    pk: { S: `PET#${id}` },
    statusShard: { S: `available#${shard}` },
    token: { S: 'other' },
    id: { N: String(id) },
    name: { S: `Pet ${id}` },
    categoryId: { N: '1' },
    status: { S: 'available' },
  };
}

export function counterItem(lastId: string): Item {
  return { pk: { S: 'COUNTER' }, lastId: { N: lastId } };
}

/** Pets with the ids up to the last one, and the counter at it. */
export function pets(lastId: number, { firstId = 1, shards = 1 } = {}) {
  return (world: World) => {
    for (let id = firstId; id <= lastId; id += 1) world.set('pets', petItem(id, id % shards));
    world.set('pets', counterItem(String(lastId)));
  };
}

export const counterSetBack = {
  label: 'the counter is set back to 0',
  apply: (world: World) => world.set('pets', counterItem('0')),
};

/** Once an event has happened. */
export const after = (label: string) => (world: World) => world.eventsDone.has(label);

/** Once a client has a response. */
export const hasResponse = (clientName: string) => (world: World) =>
  world.receivedBy(clientName).length > 0;
