import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { createPetStoreClient } from '../../client/src/createPetStoreClient.ts';
import type { NewPet, Pet, PetStatus } from '../../client/src/PetStoreClient.ts';
import { PetStoreError, type PetStoreErrorCode } from '../../client/src/PetStoreError.ts';
import type { PetStoreClientOptions } from '../../client/src/settings.ts';
import type { ErrorCode } from '../../lib/ApiError.ts';
import { operations } from '../../lib/operations.ts';
import { answer, startScriptedServer } from '../helpers/scriptedServer.ts';

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
const key = 'ps_local_secret';

/** A client of a server that is none of ours, or of none at all. */
const connect = (options: Partial<PetStoreClientOptions> = {}) =>
  createPetStoreClient({ baseAddress: 'http://127.0.0.1:1/v1', apiKey: key, ...options });

async function collect(pets: AsyncIterable<Pet>): Promise<Pet[]> {
  const collected: Pet[] = [];
  for await (const pet of pets) collected.push(pet);
  return collected;
}

const rejection = (call: Promise<unknown>): Promise<PetStoreError> =>
  call.then(
    () => expect.unreachable('The call was answered.'),
    (error) => error,
  );

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
  ])('refuses %j without repeating the key', (options) => {
    expect(() => connect(options)).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.not.stringContaining(key) }),
    );
  });

  it('shows its key to nobody who prints it', () => {
    const client = connect();

    expect(inspect(client, { depth: null, showHidden: true })).not.toContain(key);
    expect(JSON.stringify(client)).toBe('{}');
  });

  it('refuses a runtime that would round an int64', () => {
    const { parse } = JSON;
    vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) =>
      parse(text, reviver && ((name, value) => reviver.call({}, name, value))),
    );

    expect(() => connect()).toThrow('cannot read int64 in JSON without rounding');
  });

  it('has the types of the description, with int64 as bigint', () => {
    expectTypeOf<Pet['id']>().toEqualTypeOf<bigint>();
    expectTypeOf<Pet['categoryId']>().toEqualTypeOf<bigint>();
    expectTypeOf<NewPet['categoryId']>().toEqualTypeOf<bigint | number>();
    expectTypeOf<PetStatus>().toEqualTypeOf<'available' | 'pending' | 'sold'>();
    expectTypeOf<PetStoreErrorCode>().toEqualTypeOf<
      ErrorCode | 'connection_failed' | 'timed_out' | 'unexpected_answer'
    >();
  });
});

describe('createPet', () => {
  it.each([2 ** 53, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses the number %d, which may be a rounded one, before anything is sent',
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
    const server = await startScriptedServer(answer(201, rex), answer(201, rex));
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
  ])('refuses an idempotencyKey %s before anything is sent', async (_, idempotencyKey) => {
    const server = await startScriptedServer();

    await expect(
      connect(server).createPet({ name: 'Rex', categoryId: 7 }, { idempotencyKey }),
    ).rejects.toThrow(TypeError);
    expect(server.requests).toEqual([]);
  });
});

describe('allPets', () => {
  it('goes on after an empty page that has a next one', async () => {
    const next = { Link: '</v1/pets?cursor=a>; rel="next"' };
    const server = await startScriptedServer(answer(200, [], next), answer(200, [rex]));

    expect(await collect(connect(server).allPets())).toHaveLength(1);
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/pets', '/v1/pets?cursor=a']);
  });

  it('finds the next link among others', async () => {
    const others = '</v1/pets>; rel="first", </v1/pets?cursor=z>; title="next, or last"; rel=last';
    const Link = `${others}, <pets?limit=20&cursor=b>; Rel="prefetch Next"`;
    const server = await startScriptedServer(answer(200, [rex], { Link }));

    expect((await connect(server).listPets({ limit: 1 })).next).toEqual({ limit: 1, cursor: 'b' });
  });

  it.each([
    ['after a parameter without a value', '<?cursor=b>; foo; rel="next"'],
    ['without quotes', '<?cursor=b>;rel=next'],
    ['with several relations', '<?cursor=b>; rel="prev next"'],
    ['as the last of several', '<?cursor=a>; rel="prev", <?a=1,2;3&cursor=b>; rel="next"'],
    ['after a quoted quote', '<?cursor=b>; title="a \\", <c>; rel=prev"; rel=next'],
  ])('finds the next link %s', async (_, Link) => {
    const server = await startScriptedServer(answer(200, [rex], { Link }));

    expect((await connect(server).listPets()).next).toEqual({ cursor: 'b' });
  });

  it.each([
    ['stands in a title', '<?cursor=x>; title="; rel=next"; rel="prev"'],
    ['stands in a title, as a link', '<?cursor=x>; title=", <?cursor=y>; rel=next"; rel="prev"'],
    ['stands in a target', '<?cursor=x;rel=next>; rel="prev"'],
    ['is a second rel', '<?cursor=x>; rel="prev"; rel="next"'],
    ['is part of another', '<?cursor=x>; rel="next-archive"; data-rel=next'],
  ])('takes no link for the next one where "next" %s', async (_, Link) => {
    const server = await startScriptedServer(answer(200, [rex], { Link }));

    expect((await connect(server).listPets()).next).toBeUndefined();
  });

  it('refuses a next page that is the page itself, instead of reading it for ever', async () => {
    const page = answer(200, [rex], { Link: '</v1/pets?cursor=a>; rel="next"' });
    const server = await startScriptedServer(page, page);

    const error = await rejection(collect(connect(server).allPets()));

    expect(error).toBeInstanceOf(PetStoreError);
    expect(error.code).toBe('unexpected_answer');
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    'http://127.0.0.2/v1/pets?cursor=a',
    'https://127.0.0.1/v1/pets?cursor=a',
    '//example.com/v1/pets?cursor=a',
    '/v2/pets?cursor=a',
    '/v1/pets/../../other?cursor=a',
    '/v1/pets',
    'http://[',
  ])('refuses the next link %s, which leads away', async (target) => {
    const server = await startScriptedServer(
      answer(200, [rex], { Link: `<${target}>; rel="next"` }),
    );

    const error = await rejection(collect(connect(server).allPets()));

    expect(error).toBeInstanceOf(PetStoreError);
    expect(error.code).toBe('unexpected_answer');
    expect(server.requests).toHaveLength(1);
  });
});

describe('getPet', () => {
  it('refuses a number that may be a rounded one', async () => {
    await expect(connect().getPet(2 ** 53)).rejects.toThrow(TypeError);
  });

  it('gives the pet where onDeprecation throws, which goes uncaught', async () => {
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
    const server = await startScriptedServer(answer(200, rex, { Deprecation: '@1' }));
    const onDeprecation = () => {
      throw mistake;
    };

    expect(await connect({ ...server, onDeprecation }).getPet(1)).toMatchObject({ id: 1n });
    expect(uncaught).toEqual([mistake]);
  });

  it('is marked deprecated, with the date on which the service removes it', async () => {
    const source = await readFile('client/src/PetStoreClient.ts', 'utf8');
    const { sunset } = operations.getPet.deprecation;

    expect(source).toContain(`@deprecated The service removes this operation on ${sunset}: `);
  });
});

describe('a rejected call', () => {
  it.each([
    ['a page of a proxy', answer(200, '<h1>Sign in</h1>', { 'Content-Type': 'text/html' })],
    ['JSON of another server', answer(200, { hello: 'world' })],
    [
      'a pet with a fractional id',
      answer(200, '[{"id":1.5,"name":"","categoryId":1,"status":""}]'),
    ],
    ['an error of another server', answer(403, { message: `Bearer ${key}` })],
    ['an error with a foreign code', answer(400, { code: 'EVIL', message: 'm', status: 400 })],
    ['an error of every object', answer(400, { code: 'toString', message: 'm', status: 400 })],
    [
      'an error of another status',
      answer(404, { code: 'unauthorized', message: 'm', status: 401 }),
    ],
    ['an error without a status', answer(404, { code: 'not_found', message: 'm' })],
    ['a redirect', answer(302, '', { Location: 'http://127.0.0.2/' })],
  ])('says so where the answer is %s', async (_, listener) => {
    const server = await startScriptedServer(listener);

    const error = await rejection(connect(server).listPets());

    expect(error).toBeInstanceOf(PetStoreError);
    expect(error.code).toBe('unexpected_answer');
    expect(error.message).toMatch(/^The answer is not one of the service: status \d{3}, /);
    expect(inspect(error)).not.toContain(key);
    expect(server.requests).toHaveLength(1);
  });
});
