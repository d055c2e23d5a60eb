import { describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { apiKey, call } from '../helpers/api.ts';
import { storedItems } from '../helpers/database.ts';
import { permissionsOf } from '../helpers/permissions.ts';

const nameRule =
  'name must be a string of 1 to 255 Unicode characters that are not all white space, without lone surrogates';
const categoryIdRule =
  'categoryId must be an integer from -9223372036854775808 to 9223372036854775807';
const statusRule = 'status must be one of available, pending, sold';

describe('createPet', () => {
  it('answers 201 with the pet and where it can be read', async () => {
    const { status, json, headers } = await call(createPet, {
      body: { name: 'Rex', categoryId: 7, status: 'pending' },
    });

    expect(status).toBe(201);
    expect(json).toEqual({ id: expect.any(Number), name: 'Rex', categoryId: 7, status: 'pending' });
    expect(headers.Location).toBe(
      `https://abc123.execute-api.eu-west-1.amazonaws.com/v1-staging/v1/pets/${json.id}`,
    );
    expect(headers).not.toHaveProperty('Deprecation');
  });

  it('makes a pet available when no status is sent', async () => {
    const { json } = await call(createPet, { body: { name: 'Rex', categoryId: 7 } });

    expect(json.status).toBe('available');
  });

  it('assigns the id itself, and neither keeps nor returns members that it does not know', async () => {
    const { status, json } = await call(createPet, {
      body: { name: 'Rex', categoryId: 7, id: 999_999, owner: 'me', token: 'x', pk: 'COUNTER' },
    });

    expect(status).toBe(201);
    expect(Object.keys(json)).toEqual(['id', 'name', 'categoryId', 'status']);
    expect(json.id).not.toBe(999_999);
    const stored = (await storedItems()).find(({ pk }) => pk === `PET#${json.id}`);
    expect(Object.keys(stored ?? {}).sort()).toEqual(
      ['categoryId', 'id', 'name', 'pk', 'status', 'statusShard', 'token'].sort(),
    );
  });

  it.each([
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9007199254740993', '9007199254740993'],
    ['-0', '0'],
    ['1.0', '1'],
    ['1e2', '100'],
    ['9223372036854775.807e3', '9223372036854775807'],
    ['10000000000000000000000e-4', '1000000000000000000'],
  ])('keeps categoryId %s digit for digit', async (sent, kept) => {
    const created = await call(createPet, { body: `{"name":"Rex","categoryId":${sent}}` });
    const read = await call(getPet, { petId: String(created.json.id) });

    expect(created.status).toBe(201);
    expect(created.text).toContain(`"categoryId":${kept},`);
    expect(read.text).toBe(created.text);
  });

  it.each([
    ['9223372036854775808'],
    ['-9223372036854775809'],
    ['9007199254740993.5'],
    ['0.1'],
    ['1e-1'],
    ['1e19'],
    ['1e400'],
    ['1e999999999999999999999'],
    ['1e-999999999999999999999'],
    ['"7"'],
    ['true'],
    ['null'],
    ['[7]'],
    ['{}'],
  ])('answers 400 for categoryId %s', async (sent) => {
    const { status, json } = await call(createPet, {
      body: `{"name":"Rex","categoryId":${sent}}`,
    });

    expect(status).toBe(400);
    expect(json).toEqual({ code: 'bad_request', message: `${categoryIdRule}.`, status: 400 });
  });

  it('answers 400 for a categoryId of 60 000 digits', async () => {
    const { status, json } = await call(createPet, {
      body: `{"name":"Rex","categoryId":1${'0'.repeat(60_000)}1}`,
    });

    expect(status).toBe(400);
    expect(json.message).toBe(`${categoryIdRule}.`);
  });

  it.each([
    ['one character', 'R'],
    ['255 characters outside the basic plane', '🐕'.repeat(255)],
    ['white space around', '  Rex\t'],
    ['a byte order mark and a null', '\uFEFFa\0'],
    ['markup and quotes', '"><script>\'\\'],
    ['a name of a prototype', '__proto__'],
    ['decomposed accents, which must not be composed', 'e\u0301'],
  ])('keeps a name of %s verbatim', async (_case, name) => {
    const created = await call(createPet, { body: { name, categoryId: 1 } });
    const read = await call(getPet, { petId: String(created.json.id) });

    expect(created.status).toBe(201);
    expect(read.json.name).toBe(name);
  });

  it.each([
    ['empty', '""'],
    ['256 characters', JSON.stringify('x'.repeat(256))],
    ['spaces', '"   "'],
    ['Unicode white space', JSON.stringify('\u2003\u00a0\u0085\n')],
    ['a lone surrogate', '"\\ud83d"'],
    ['a number', '7'],
    ['null', 'null'],
    ['an array', '["Rex"]'],
  ])('answers 400 for a name that is %s', async (_case, name) => {
    const { status, json } = await call(createPet, { body: `{"name":${name},"categoryId":1}` });

    expect(status).toBe(400);
    expect(json.message).toBe(`${nameRule}.`);
  });

  it.each([['"Sold"'], ['"lost"'], ['""'], ['null'], ['1'], ['["sold"]']])(
    'answers 400 for status %s',
    async (status) => {
      const { json } = await call(createPet, {
        body: `{"name":"Rex","categoryId":1,"status":${status}}`,
      });

      expect(json).toEqual({ code: 'bad_request', message: `${statusRule}.`, status: 400 });
    },
  );

  it('names all faults in one answer', async () => {
    const { json } = await call(createPet, { body: { status: 'lost' } });

    expect(json.message).toBe(`${nameRule}; ${categoryIdRule}; ${statusRule}.`);
  });

  it('stores nothing of a request that it refuses', async () => {
    const before = await storedItems();

    await call(createPet, { body: { name: '', categoryId: 1 } });
    await call(createPet, { body: '{' });
    await call(createPet, {
      body: { name: 'Rex', categoryId: 1 },
      headers: { Authorization: `Bearer ${apiKey}x` },
    });

    expect(await storedItems()).toHaveLength(before.length);
  });

  it('may count ids, store and read back pets, and keep idempotency records', () => {
    expect(permissionsOf('createPet')).toEqual([
      'UpdateItem pets COUNTER',
      'PutItem pets PET#*',
      'GetItem pets PET#*',
      'GetItem idempotency',
      'PutItem idempotency',
      'UpdateItem idempotency',
    ]);
  });
});
