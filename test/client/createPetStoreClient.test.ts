import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { createPetStoreClient } from '../../client/src/createPetStoreClient.ts';
import { PetStoreError } from '../../client/src/PetStoreError.ts';
import { Pet } from '../../lib/schemas.ts';
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
    ['id', (client) => client.getPet(unsafe)],
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
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).not.toBe(first);
  });
});

describe('a received pet', () => {
  const requiredMembers = Object.entries(Pet.shape).flatMap(([name, schema]) =>
    schema.safeParse(undefined).success ? [] : [name],
  );

  it.each(requiredMembers)('is not one of the service without a valid %s', async (name) => {
    const { [name]: _, ...others } = receivedRex as Record<string, unknown>;
    const server = await startScriptedServer(
      respond(200, others),
      respond(200, { ...receivedRex, [name]: null }),
    );

    for (const wrong of ['without it', 'with another type']) {
      const error = await rejection(connect(server).getPet(1));
      expect(error, wrong).toMatchObject({ code: 'unexpected_response', status: 200 });
    }
  });

  it('may have members of a newer service, whose integers stay exact', async () => {
    const more = '"legs":4,"weight":1.5,"chip":9007199254740993,"parents":[-9223372036854775808]';
    const server = await startScriptedServer(
      respond(200, JSON.stringify(receivedRex).replace('{', `{${more},`)),
    );

    expect(await connect(server).getPet(1)).toMatchObject({
      id: 1n,
      legs: 4,
      weight: 1.5,
      chip: 9007199254740993n,
      parents: [-9223372036854775808n],
    });
  });
});

describe('allPets', () => {
  it('continues after an empty page, with another link in the same header', async () => {
    const Link = '</style.css>; rel=preload, <https://pets.example/v1/pets?cursor=a>; rel="next"';
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
});

describe('withResponse', () => {
  // Vitest fails a run with an unhandled rejection.
  it('rejects as the call does, and leaves no rejection unhandled', async () => {
    const server = await startScriptedServer(respond(500, 'Fault'));

    const error = await rejection(connect(server).listPets().withResponse());

    expect(error).toMatchObject({ code: 'unexpected_response', status: 500 });
  });
});

describe('a call', () => {
  it.each([
    ['malformed JSON', respond(200, '[{"id":')],
    ['JSON of another server', respond(200, { hello: 'world' })],
    ['a success of another status', respond(203, [receivedRex])],
    ['an error of another server', respond(403, { message: `Bearer ${key}` })],
    ['an error with a foreign code', respond(400, { code: 'EVIL', message: 'm', status: 400 })],
    [
      'an error of another status',
      respond(404, { code: 'unauthorized', message: 'm', status: 401 }),
    ],
    ['a redirect', respond(302, '', { Location: 'http://127.0.0.2/' })],
  ])('rejects with unexpected_response if the response is %s', async (_, listener) => {
    const server = await startScriptedServer(listener);

    const error = await rejection(connect(server).listPets());

    expect(error).toBeInstanceOf(PetStoreError);
    expect(error.code).toBe('unexpected_response');
    expect(error.message).toMatch(
      /^The response is not from the service: status \d{3}, [\w/]+: GET http:.+\/pets$/,
    );
    expect(inspect(error)).not.toContain(key);
    expect(server.requests).toHaveLength(1);
  });
});
