import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PetStoreError } from '../../client/src/PetStoreError.ts';
import { operations } from '../../lib/operations.ts';
import { connect, key, rejection, rex } from '../helpers/petStoreClient.ts';
import { respond, startScriptedServer } from '../helpers/scriptedServer.ts';

describe('createPetStoreClient', () => {
  it.each([
    { baseAddress: 'localhost:3000/v1' },
    { baseAddress: 'http://user:password@localhost/v1' },
    { baseAddress: 'http://localhost/v1?stage=local' },
    { baseAddress: 'file:///v1' },
    { baseAddress: '' },
    { apiKey: '' },
    { apiKey: `${key}\n` },
    { timeoutMs: 0 },
    { timeoutMs: 2 ** 31 },
    { maxAttempts: 1.5 },
  ])('throws for %j, without the key in the message', (options) => {
    expect(() => connect(options)).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.not.stringContaining(key) }),
    );
  });

  it('does not show the key when it is printed', () => {
    const client = connect();

    expect(inspect(client, { depth: null, showHidden: true })).not.toContain(key);
    expect(JSON.stringify(client)).toBe('{}');
  });

  it.each([undefined, ''])('says that the API key is missing if it is %j', (apiKey) => {
    expect(() => connect({ apiKey })).toThrow(
      new TypeError('apiKey is missing: pass the API key that the operators gave you.'),
    );
  });

  it.each(Object.keys(operations))('has a method for %s', (name) => {
    expect(
      connect(),
      `Declare ${name} in client/src/types.ts and implement it in client/src/createPetStoreClient.ts.`,
    ).toHaveProperty(name, expect.any(Function));
  });
});

describe('createPet', () => {
  it.each([2 ** 53, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'rejects the unsafe number %d before it sends anything',
    async (number) => {
      const fetch = vi.fn<typeof globalThis.fetch>();
      const client = connect({ fetch });

      await expect(client.createPet({ name: 'Rex', categoryId: number })).rejects.toThrow(
        new TypeError(
          'categoryId must be a bigint, or a number that is a safe integer: beyond 2^53 a number is rounded.',
        ),
      );
      expect(fetch).not.toHaveBeenCalled();
    },
  );

  it('sends a fresh Idempotency-Key with each call', async () => {
    const server = await startScriptedServer(respond(201, rex), respond(201, rex));
    const client = connect(server);

    await client.createPet({ name: 'Rex', categoryId: 7 });
    await client.createPet({ name: 'Rex', categoryId: 7 });

    const [first, second] = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).not.toBe(first);
  });

  it.each([
    ['that is empty', ''],
    ['with a space', 'two words'],
    ['with a line break', 'line\nbreak'],
    ['beyond ASCII', 'ü'],
    ['of 256 characters', 'x'.repeat(256)],
  ])('rejects an idempotencyKey %s before it sends anything', async (_, idempotencyKey) => {
    const server = await startScriptedServer();

    await expect(
      connect(server).createPet({ name: 'Rex', categoryId: 7 }, { idempotencyKey }),
    ).rejects.toThrow(TypeError);
    expect(server.requests).toEqual([]);
  });
});

describe('allPets', () => {
  it.each([0, -1, 1.5, Number.NaN])('rejects toArray({ max: %d })', async (max) => {
    await expect(connect().allPets().toArray({ max })).rejects.toThrow(TypeError);
  });
});

describe('getPet', () => {
  it('rejects an unsafe number', async () => {
    await expect(connect().getPet(2 ** 53)).rejects.toThrow(TypeError);
  });

  it('returns the pet if onDeprecation throws, and leaves that error uncaught', async () => {
    const mistake = new Error('A mistake of the caller.');
    const uncaught: unknown[] = [];
    const { queueMicrotask } = globalThis;
    vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((task) =>
      queueMicrotask(() => {
        try {
          task();
        } catch (error) {
          uncaught.push(error);
        }
      }),
    );
    const server = await startScriptedServer(respond(200, rex, { Deprecation: '@1' }));
    const onDeprecation = () => {
      throw mistake;
    };

    expect(await connect({ ...server, onDeprecation }).getPet(1)).toMatchObject({ id: 1n });
    expect(uncaught).toEqual([mistake]);
  });

  it('is marked as deprecated, with the date of its removal', async () => {
    const source = await readFile('client/src/types.ts', 'utf8');
    const { sunset } = operations.getPet.deprecation;

    expect(source).toContain(`@deprecated The service removes this operation on ${sunset}: `);
  });
});

describe('withResponse', () => {
  it('adds the status, headers and request id to the result', async () => {
    const headers = { 'X-Request-Id': 'req_1', Location: '/v1/pets/1' };
    const server = await startScriptedServer(respond(201, rex, headers));

    const created = await connect(server).createPet({ name: 'Rex', categoryId: 7 }).withResponse();

    expect(created).toMatchObject({ data: { id: 1n }, status: 201, requestId: 'req_1' });
    expect(created.headers.get('Location')).toBe('/v1/pets/1');
  });

  // Vitest fails a run with an unhandled rejection.
  it('rejects as the call does, and leaves no rejection unhandled', async () => {
    const server = await startScriptedServer(respond(500, 'Fault'));

    const error = await rejection(connect(server).listPets().withResponse());

    expect(error).toMatchObject({ code: 'unexpected_answer', status: 500 });
  });
});

describe('a call', () => {
  it.each([
    ['an HTML page of a proxy', respond(200, '<h1>Sign in</h1>', { 'Content-Type': 'text/html' })],
    ['JSON of another server', respond(200, { hello: 'world' })],
    [
      'a pet with a fractional id',
      respond(200, '[{"id":1.5,"name":"","categoryId":1,"status":""}]'),
    ],
    ['an error of another server', respond(403, { message: `Bearer ${key}` })],
    ['an error with a foreign code', respond(400, { code: 'EVIL', message: 'm', status: 400 })],
    [
      'an error with the name of an object method as code',
      respond(400, { code: 'toString', message: 'm', status: 400 }),
    ],
    [
      'an error of another status',
      respond(404, { code: 'unauthorized', message: 'm', status: 401 }),
    ],
    ['an error without a status', respond(404, { code: 'not_found', message: 'm' })],
    ['a redirect', respond(302, '', { Location: 'http://127.0.0.2/' })],
  ])('rejects with unexpected_answer if the response is %s', async (_, listener) => {
    const server = await startScriptedServer(listener);

    const error = await rejection(connect(server).listPets());

    expect(error).toBeInstanceOf(PetStoreError);
    expect(error.code).toBe('unexpected_answer');
    expect(error.message).toMatch(/^The response is not from the service: status \d{3}, /);
    expect(inspect(error)).not.toContain(key);
    expect(server.requests).toHaveLength(1);
  });

  it('names its operation and address in an error, and the text of the service without them', async () => {
    const message = 'limit must be a single integer from 1 to 100.';
    const server = await startScriptedServer(
      respond(400, { code: 'bad_request', message, status: 400 }),
    );

    const error = await rejection(connect(server).listPets({ limit: 0 }));

    const address = `${server.baseAddress}/pets?limit=0`;
    expect(error).toMatchObject({ operation: 'listPets', address, reason: message });
    expect(error.message).toBe(`${message} (listPets: ${address})`);
  });

  it('sends its own User-Agent, except in a browser', async () => {
    const { version } = JSON.parse(await readFile('client/package.json', 'utf8'));
    const server = await startScriptedServer(respond(200, []), respond(200, []));

    await connect(server).listPets();
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' });
    onTestFinished(() => {
      vi.unstubAllGlobals();
    });
    await connect(server).listPets();

    const sent = server.requests.map(({ headers }) => headers['user-agent']);
    expect(sent).toEqual([`petstore-client/${version}`, 'node']);
  });
});
