import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createPetStoreClient } from '../../client/src/createPetStoreClient.ts';
import { PetStoreError } from '../../client/src/PetStoreError.ts';
import type { Pet, PetStoreClientOptions } from '../../client/src/types.ts';
import { startGateway } from '../helpers/gateway.ts';
import { rejection } from '../helpers/petStoreClient.ts';
import { exactIntegers, minimalPet, newRex, petWithInteger, rex } from '../helpers/samplePets.ts';

const service = await startGateway();

/** Creates a client of the running service. */
const connect = (options: Partial<PetStoreClientOptions> = {}) =>
  createPetStoreClient({ ...service, ...options });

describe('createPet, getPet and listPets', () => {
  it.each(exactIntegers)('keep the integer %d exact', async (integer) => {
    const client = connect();

    const created = await client.createPet(petWithInteger(integer));

    expect(created).toEqual({ id: expect.any(BigInt), ...petWithInteger(integer) });
    expect(await client.getPet(created.id)).toEqual(created);
    expect((await client.listPets({ limit: 100 })).pets).toContainEqual(created);
  });

  it('accept a safe integer for an int64', async () => {
    const client = connect();

    const created = await client.createPet(rex);

    expect(created).toMatchObject(newRex);
    expect(await client.getPet(Number(created.id))).toEqual(created);
  });
});

describe('createPet', () => {
  it('adds one pet for two calls with one idempotencyKey', async () => {
    const newPet = { ...minimalPet, name: 'Twice' };

    const first = await connect().createPet(newPet, { idempotencyKey: 'twice' });
    const second = await connect().createPet(newPet, { idempotencyKey: 'twice' });

    expect(second).toEqual(first);
    const pets = await Array.fromAsync(connect().allPets());
    expect(pets.filter(({ name }) => name === 'Twice')).toEqual([first]);
  });
});

describe('allPets', () => {
  const created: Pet[] = [];

  beforeAll(async () => {
    for (const status of ['sold', 'pending', 'sold', 'sold', 'pending', 'sold'] as const) {
      created.push(await connect().createPet({ ...minimalPet, name: 'Walk', status }));
    }
  });

  it('yields each pet once, by ascending id, over several pages', async () => {
    const fetch = vi.fn(globalThis.fetch);

    const pets = await Array.fromAsync(connect({ fetch }).allPets({ limit: 2 }));

    const ids = pets.map(({ id }) => id);
    expect(pets.filter(({ name }) => name === 'Walk')).toEqual(created);
    expect(ids).toEqual([...new Set(ids)].sort((one, other) => Number(one - other)));
    expect(fetch.mock.calls.length).toBeGreaterThanOrEqual(pets.length / 2);
  });

  it('keeps the status filter on every page', async () => {
    const fetch = vi.fn(globalThis.fetch);
    const query = { limit: 1, status: 'pending' as const, cursor: undefined };

    const pets = await Array.fromAsync(connect({ fetch }).allPets(query));

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
    ['bad_request', 400, () => connect().createPet({ ...minimalPet, name: ' ' })],
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
