import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { createPetStoreClient } from '../../client/src/createPetStoreClient.ts';
import {
  connect,
  key,
  receivedRex,
  rejection,
  respond,
  startScriptedServer,
} from '../helpers/petStoreClient.ts';
import { int64Fields, minimalPet } from '../helpers/samplePets.ts';

describe('createPetStoreClient', () => {
  it.each([
    'http://localhost:3000/v1/pets',
    'http://localhost/v1?stage=/v1',
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
    [{ apiKey: `${key}\n` }, 'apiKey must be a string of visible ASCII characters.'],
    [{ apiKey: undefined }, 'apiKey is missing: pass the API key that the operators gave you.'],
    [{ baseAddress: '' }, 'baseAddress is missing: pass the address of the service with its /v1.'],
    [{ timeoutMs: 2 ** 31 }, 'timeoutMs must be a whole number from 1 to 2147483647.'],
    [{ maxAttempts: 1.5 }, 'maxAttempts must be a whole number from 1 to 9007199254740991.'],
  ])('throws for %j', (options, message) => {
    expect(() => connect(options)).toThrow(new TypeError(message));
  });

  it('uses the fetch and the crypto that the page has at the time of a call', async () => {
    const client = connect({ baseAddress: 'http://pets.example/v1' });
    const keys: (string | null)[] = [];
    vi.stubGlobal('fetch', async (_address: string, { headers }: RequestInit) => {
      keys.push(new Headers(headers).get('Idempotency-Key'));
      return Response.json({ ...minimalPet, id: 1, status: 'available' }, { status: 201 });
    });
    // A page with plain http has no `crypto.randomUUID`.
    const { getRandomValues } = crypto;
    vi.stubGlobal('crypto', { getRandomValues: getRandomValues.bind(crypto) });

    await client.createPet(minimalPet);
    await client.createPet(minimalPet);
    vi.unstubAllGlobals();

    expect(keys).toEqual([expect.stringMatching(/^[\da-f]{32}$/), expect.any(String)]);
    expect(new Set(keys).size).toBe(2);
  });

  it('continues a list with the query of the call, even if the caller changes its object', async () => {
    const Link = '<http://pets.example/v1/pets?cursor=abc>; rel="next"';
    const fetch = async () => Response.json([], { headers: { Link } });
    const query: { limit: number } = { limit: 7 };

    const page = connect({ baseAddress: 'http://pets.example/v1', fetch }).listPets(query);
    query.limit = 9;

    expect((await page).next).toEqual({ limit: 7, cursor: 'abc' });
  });

  it('throws without options, as JavaScript may call it', () => {
    const create = createPetStoreClient as () => unknown;

    expect(create).toThrow(new TypeError('The options are missing: pass { baseAddress, apiKey }.'));
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

  it('does not show the key when the client is printed', () => {
    const client = connect();

    expect(inspect(client, { depth: null, showHidden: true })).not.toContain(key);
    expect(JSON.stringify(client)).toBe('{}');
  });
});

describe('an argument that cannot be sent', () => {
  const unsafe = 2 ** 53;

  it.each(int64Fields)('rejects with a TypeError that names %s', async (name) => {
    const call = connect().createPet({ ...minimalPet, [name]: unsafe });

    await expect(call).rejects.toThrow(new RegExp(`^${name} must be `));
  });

  it.each([
    ['petId', (client) => client.getPet(unsafe)],
    ['limit', (client) => client.listPets({ limit: unsafe })],
    ['idempotencyKey', (client) => client.createPet(minimalPet, { idempotencyKey: '' })],
    ['idempotencyKey', (client) => client.createPet(minimalPet, { idempotencyKey: 'a\nb' })],
    [
      'idempotencyKey',
      (client) => client.createPet(minimalPet, { idempotencyKey: 'x'.repeat(256) }),
    ],
    ['timeoutMs', (client) => client.listPets({}, { timeoutMs: 0 })],
    ['maxAttempts', (client) => client.createPet(minimalPet, { maxAttempts: 0 })],
  ] satisfies [string, (client: ReturnType<typeof connect>) => Promise<unknown>][])(
    'rejects with a TypeError that names %s',
    async (name, call) => {
      const fetch = vi.fn<typeof globalThis.fetch>();

      const error = await rejection(call(connect({ fetch })));

      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(new RegExp(`^${name} must be `));
      expect(fetch).not.toHaveBeenCalled();
    },
  );
});

describe('createPet', () => {
  it('sends a fresh Idempotency-Key with each call', async () => {
    const server = await startScriptedServer(respond(201, receivedRex), respond(201, receivedRex));

    await connect(server).createPet(minimalPet);
    await connect(server).createPet(minimalPet);

    const [first, second] = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[\da-f]{32}$/);
    expect(second).not.toBe(first);
  });
});

describe('allPets', () => {
  it('continues after an empty page, with other links in the same header', async () => {
    const Link =
      '</pets?cursor=z>; rel="first", <https://pets.example/v1/pets?cursor=a>; rel="next"';
    const server = await startScriptedServer(
      respond(200, [], { Link }),
      respond(200, [receivedRex]),
    );

    expect(await Array.fromAsync(connect(server).allPets())).toHaveLength(1);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/pets?limit=100',
      '/v1/pets?limit=100&cursor=a',
    ]);
  });

  it('ends if only another link has a cursor', async () => {
    const server = await startScriptedServer(
      respond(200, [receivedRex], { Link: '</pets?cursor=z>; rel="prev"' }),
    );

    expect(await Array.fromAsync(connect(server).allPets())).toHaveLength(1);
  });

  it.each([undefined, {}, { limit: undefined }])(
    'reads pages of 100 unless the query has a limit: %o',
    async (query) => {
      const server = await startScriptedServer(respond(200, []));

      await Array.fromAsync(connect(server).allPets(query));

      expect(server.requests).toMatchObject([{ path: '/v1/pets?limit=100' }]);
    },
  );

  it.each([
    ['to the start', ['b', 'a']],
    ['to a later page', ['b', 'c', 'b']],
  ])('rejects instead of reading a page again, if the links lead back %s', async (_, cursors) => {
    const pages = cursors.map((cursor) =>
      respond(200, [receivedRex], { Link: `</pets?cursor=${cursor}>; rel="next"` }),
    );
    const server = await startScriptedServer(...pages);
    const pets = connect(server).allPets({ cursor: 'a' });

    const error = await rejection(Array.fromAsync(pets));

    expect(error).toMatchObject({
      code: 'unexpected_response',
      message: 'The list does not end: the next page is one that was read before.',
    });
    expect(server.requests).toHaveLength(cursors.length);
  });

  it.each(['<', 'a'])(
    // Quadratic time would be longer than the limit of vitest.config.ts.
    'reads a long Link header in linear time: %s',
    async (character) => {
      const Link = `<?cursor=${character.repeat(1_000_000)}`;
      const fetch = async () => Response.json([receivedRex], { headers: { Link } });

      expect(await Array.fromAsync(connect({ fetch }).allPets())).toHaveLength(1);
    },
  );
});

describe('withResponse', () => {
  // Vitest fails a run with an unhandled rejection.
  it('rejects as the call does, and leaves no rejection unhandled', async () => {
    const server = await startScriptedServer(respond(500, 'Fault'));

    const error = await rejection(connect(server).listPets().withResponse());

    expect(error).toMatchObject({ code: 'unexpected_response', status: 500 });
  });
});
