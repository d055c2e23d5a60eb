import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { connect, key, receivedRex, rejection, scriptedFetch } from '../helpers/petStoreClient.ts';
import { int64Fields, minimalPet } from '../helpers/samplePets.ts';

const added = () => Response.json(receivedRex, { status: 201 });

describe('createPetStoreClient', () => {
  it.each([
    'http://localhost:3000/v1/pets',
    'http://localhost/v1?stage=/v1',
    'http://localhost/#/v1',
    'http://user:password@localhost/v1',
    'localhost:3000/v1',
    'http:// /v1',
  ])('says what an address must be for the baseAddress %j', (baseAddress) => {
    expect(() => connect({ baseAddress })).toThrow(
      new TypeError(
        'baseAddress must be an http or https address that ends in /v1, such as http://localhost:3000/v1.',
      ),
    );
  });

  it.each([
    [{ apiKey: `${key}\n` }, 'apiKey must be 1 to 255 visible ASCII characters.'],
    [{ apiKey: undefined }, 'apiKey is missing: pass the API key that the operators gave you.'],
    [{ baseAddress: '' }, 'baseAddress is missing: pass the address of the service with its /v1.'],
  ])('throws for %j, as a wrong environment variable gives it', (options, message) => {
    expect(() => connect(options)).toThrow(new TypeError(message));
  });

  const timeoutRule = new TypeError('timeoutMs must be an integer from 1 to 2147483647.');

  it.each([0, 1.5, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY])(
    'throws for a timeoutMs beyond the range of timers, and a call rejects with the same error: %s',
    async (timeoutMs) => {
      const { fetch, sent } = scriptedFetch();

      expect(() => connect({ timeoutMs })).toThrow(timeoutRule);
      expect(await rejection(connect({ fetch }).listPets({}, { timeoutMs }))).toEqual(timeoutRule);
      expect(sent).toEqual([]);
    },
  );

  it.each([1, 2 ** 31 - 1])('accepts the least and the largest timeoutMs: %s', (timeoutMs) => {
    expect(() => connect({ timeoutMs })).not.toThrow();
  });

  it('throws on a runtime that would round int64', async () => {
    vi.stubGlobal('JSON', { parse: JSON.parse, stringify: JSON.stringify });
    vi.resetModules();
    const { createPetStoreClient } = await import('../../client/src/createPetStoreClient.ts');
    vi.unstubAllGlobals();

    expect(() => createPetStoreClient({ baseAddress: 'http://localhost/v1', apiKey: key })).toThrow(
      'This runtime lacks JSON.rawJSON',
    );
  });

  it('accepts an https address that ends in a slash', async () => {
    const { fetch, sent } = scriptedFetch(Response.json([]));

    await connect({ fetch, baseAddress: 'https://pets.example/v1/' }).listPets();

    expect(sent).toMatchObject([{ address: 'https://pets.example/v1/pets' }]);
  });

  it('does not show the key when the client is printed', () => {
    expect(inspect(connect(), { depth: null, showHidden: true })).not.toContain(key);
  });
});

describe('an argument that cannot be sent', () => {
  const unsafe = 2 ** 53;

  it.each([
    ...int64Fields.map((name) => [name, { [name]: unsafe }, undefined] as const),
    ['idempotencyKey', {}, ''],
    ['idempotencyKey', {}, 'a b'],
    ['idempotencyKey', {}, 'x'.repeat(256)],
  ] as const)(
    'rejects createPet with a TypeError that names %s',
    async (name, changed, idempotencyKey) => {
      const { fetch } = scriptedFetch();

      const call = connect({ fetch }).createPet({ ...minimalPet, ...changed }, { idempotencyKey });

      const error = await rejection(call);
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(new RegExp(`^${name} must be `));
    },
  );

  it('rejects getPet with a TypeError that names petId', async () => {
    await expect(connect().getPet(unsafe)).rejects.toThrow(/^petId must be a bigint/);
  });
});

describe('createPet', () => {
  it('uses the fetch that a page has at the time of a call, and a fresh Idempotency-Key', async () => {
    const client = connect();
    const { fetch, sent } = scriptedFetch(added(), added());
    vi.stubGlobal('fetch', fetch);
    // A page with plain http has no `crypto.randomUUID`.
    const { getRandomValues } = crypto;
    vi.stubGlobal('crypto', { getRandomValues: getRandomValues.bind(crypto) });

    await client.createPet(minimalPet);
    await client.createPet(minimalPet);
    vi.unstubAllGlobals();

    const [first, second] = sent.map(({ headers }) => headers.get('Idempotency-Key'));
    expect(first).toMatch(/^[\da-f]{32}$/);
    expect(second).toMatch(/^[\da-f]{32}$/);
    expect(second).not.toBe(first);
  });

  it('succeeds with one request if the fetch has no streams, as that of node-fetch or React Native', async () => {
    const read = vi.fn(async () => JSON.stringify(receivedRex));
    const { ok, status, headers } = added();
    const fetch = vi.fn(async () => ({ ok, status, headers, body: {}, text: read }) as never);

    expect(await connect({ fetch }).createPet(minimalPet)).toMatchObject({ id: 1n });
    expect(fetch).toHaveBeenCalledOnce();
  });
});

describe('allPets', () => {
  it('continues after an empty page, and ends if only another link has a cursor', async () => {
    const first =
      '</pets?cursor=z>; rel="first", <https://pets.example/v1/pets?cursor=a>; rel="next"';
    const last = '</pets?cursor=z>; rel="prev"';
    const { fetch, sent } = scriptedFetch(
      Response.json([], { headers: { Link: first } }),
      Response.json([receivedRex], { headers: { Link: last } }),
    );

    expect(await Array.fromAsync(connect({ fetch }).allPets())).toHaveLength(1);
    // The address of a link is not used, so that the key reaches no other server.
    expect(sent.map(({ address }) => address)).toEqual([
      'http://127.0.0.1:2/v1/pets?limit=100',
      'http://127.0.0.1:2/v1/pets?limit=100&cursor=a',
    ]);
  });
});

describe('withResponse', () => {
  // Vitest fails a run with an unhandled rejection.
  it('rejects as the call does, and leaves no rejection unhandled', async () => {
    const { fetch } = scriptedFetch(new Response('Fault', { status: 500 }));

    const error = await rejection(connect({ fetch }).listPets().withResponse());

    expect(error).toMatchObject({ code: 'unexpected_response', status: 500 });
  });
});
