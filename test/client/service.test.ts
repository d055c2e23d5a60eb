import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createPetStoreClient } from '../../client/src/createPetStoreClient.ts';
import { PetStoreError } from '../../client/src/PetStoreError.ts';
import type { Pet, PetStoreClientOptions } from '../../client/src/types.ts';
import { startGateway } from '../helpers/gateway.ts';
import { rejection } from '../helpers/petStoreClient.ts';
import { type ReceivedRequest, startScriptedServer } from '../helpers/scriptedServer.ts';

const service = await startGateway();

/** Creates a client of the running service, unless the options name another one. */
function connect(options: Partial<PetStoreClientOptions> = {}) {
  const { baseAddress, apiKey } = service;
  return createPetStoreClient({ baseAddress, apiKey, ...options });
}

const byValue = (one: bigint, other: bigint) => Number(one - other);

/** Forwards a POST to the service, as a gateway does. */
async function forward({ headers, body }: ReceivedRequest) {
  const response = await fetch(`${service.baseAddress}/pets`, {
    method: 'POST',
    body,
    headers: {
      Authorization: String(headers.authorization),
      'Content-Type': String(headers['content-type']),
      'Idempotency-Key': String(headers['idempotency-key']),
    },
  });
  return { status: response.status, text: await response.text() };
}

describe('createPet, getPet and listPets', () => {
  it.each([9223372036854775807n, -9223372036854775808n, 9007199254740993n])(
    'keep the categoryId %d exact',
    async (categoryId) => {
      const client = connect();

      const created = await client.createPet({ name: 'Rex', categoryId });

      expect(created).toEqual({
        id: expect.any(BigInt),
        name: 'Rex',
        categoryId,
        status: 'available',
      });
      expect(await client.getPet(created.id)).toEqual(created);
      expect((await client.listPets({ limit: 100 })).pets).toContainEqual(created);
    },
  );

  it('accept a safe integer for an int64', async () => {
    const client = connect();

    const created = await client.createPet({ name: 'Mia', categoryId: 7, status: 'sold' });

    expect(created.categoryId).toBe(7n);
    expect(await client.getPet(Number(created.id))).toEqual(created);
  });
});

describe('createPet', () => {
  it('adds one pet for two calls with one idempotencyKey', async () => {
    const client = connect();
    const newPet = { name: 'Twice', categoryId: 20n };

    const first = await client.createPet(newPet, { idempotencyKey: 'twice' });
    const second = await client.createPet(newPet, { idempotencyKey: 'twice' });

    expect(second).toEqual(first);
    const stored = await Array.fromAsync(client.allPets({ limit: 100 }));
    expect(stored.filter(({ categoryId }) => categoryId === 20n)).toEqual([first]);
  });

  it('adds one pet if the response to the first attempt is lost', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0); // no back-off
    const gateway = await startScriptedServer(
      async (response, request) => {
        await forward(request);
        response.destroy();
      },
      async (response, request) => {
        const { status, text } = await forward(request);
        response.writeHead(status).end(text);
      },
    );

    const { baseAddress } = gateway;
    const created = await connect({ baseAddress }).createPet({ name: 'Lost', categoryId: 21n });

    expect(gateway.requests).toHaveLength(2);
    const stored = await Array.fromAsync(connect().allPets({ limit: 100 }));
    expect(stored.filter(({ categoryId }) => categoryId === 21n)).toEqual([created]);
  });
});

describe('allPets', () => {
  const categoryId = 30n;
  const created: Pet[] = [];

  beforeAll(async () => {
    const client = connect();
    for (const status of ['sold', 'pending', 'sold', 'sold', 'pending', 'sold'] as const) {
      created.push(await client.createPet({ name: 'Walk', categoryId, status }));
    }
  });

  it('yields each pet once, by ascending id, over several pages', async () => {
    const fetch = vi.fn(globalThis.fetch);

    const pets = await Array.fromAsync(connect({ fetch }).allPets({ limit: 2 }));

    expect(pets.filter((pet) => pet.categoryId === categoryId)).toEqual(created);
    expect(pets.map(({ id }) => id)).toEqual([...new Set(pets.map(({ id }) => id))].sort(byValue));
    expect(fetch.mock.calls.length).toBeGreaterThanOrEqual(pets.length / 2);
  });

  it('keeps the status filter on every page', async () => {
    const fetch = vi.fn(globalThis.fetch);

    const pets = await Array.fromAsync(connect({ fetch }).allPets({ limit: 1, status: 'pending' }));

    expect(pets).toEqual(created.filter(({ status }) => status === 'pending'));
    expect(fetch.mock.calls.map(([address]) => new URL(String(address)).search)).toEqual([
      '?limit=1&status=pending',
      expect.stringMatching(/^\?limit=1&status=pending&cursor=[\w-]+$/),
      expect.stringMatching(/^\?limit=1&status=pending&cursor=[\w-]+$/),
    ]);
  });

  it('requests no page that the caller does not reach', async () => {
    const fetch = vi.fn(globalThis.fetch);

    for await (const _pet of connect({ fetch }).allPets({ limit: 1 })) break;

    expect(fetch).toHaveBeenCalledOnce();
  });
});

describe('a failed call', () => {
  it.each([
    ['unauthorized', 401, () => connect({ apiKey: 'wrong' }).listPets()],
    ['not_found', 404, () => connect().getPet(9223372036854775807n)],
    ['bad_request', 400, () => connect().createPet({ name: ' ', categoryId: 1 })],
  ] as const)('rejects with a PetStoreError with %s and status %d', async (code, status, call) => {
    const error = await rejection(call());

    expect(error).toBeInstanceOf(PetStoreError);
    expect(error).toMatchObject({ name: 'PetStoreError', code, status });
    expect(error.message).not.toBe('');
    expect(error.requestId).toMatch(/^[\w-]+$/);
  });
});

describe('createPetStoreClient', () => {
  it('accepts a base address that ends in a slash', async () => {
    const client = connect({ baseAddress: `${service.baseAddress}/` });

    expect((await client.listPets({ limit: 1 })).pets).toBeInstanceOf(Array);
  });
});
