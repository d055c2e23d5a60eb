import { describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { apiKey, call } from '../helpers/api.ts';
import { storedItems } from '../helpers/database.ts';
import { permissionsOf } from '../helpers/permissions.ts';

// test/contract tests what clients see. Here: exact messages, the store, and events written by hand.

const nameRule = 'name must be a string of 1 to 255 characters, not all whitespace';
const categoryIdRule =
  'categoryId must be an integer from -9223372036854775808 to 9223372036854775807';
const statusRule = 'status must be one of available, pending, sold';

describe('createPet', () => {
  it.each([
    ['{"status":"lost"}', `${nameRule}; ${categoryIdRule}; ${statusRule}.`],
    ['{"name":"\\ud800","categoryId":1}', 'name must not contain lone surrogates.'],
    ['['.repeat(65), 'The body must not be nested deeper than 64 levels: send a flat JSON object.'],
    [
      '{"__proto__":{"name":"Rex","categoryId":1}}',
      'The body must not have a member named __proto__, nor a constructor with a prototype.',
    ],
    [' '.repeat(65_537), 'The body must not exceed 65536 bytes.'],
  ])('says what is valid, given the body %.45j', async (body, message) => {
    expect((await call(createPet, { body })).json.message).toBe(message);
  });

  it('says which media type is valid', async () => {
    const { json } = await call(createPet, { body: '{}', headers: { 'Content-Type': '' } });

    expect(json.message).toBe('The Content-Type must be application/json.');
  });

  it('stores neither an id nor a member that the client chose', async () => {
    const { status, json } = await call(createPet, {
      body: { name: 'Rex', categoryId: 7, id: 999_999, owner: 'me', token: 'x', pk: 'COUNTER' },
    });

    expect(status).toBe(201);
    expect(Object.keys(json)).toEqual(['id', 'name', 'categoryId', 'status']);
    const stored = (await storedItems()).find(({ pk }) => pk === `PET#${json.id}`);
    expect(Object.keys(stored ?? {}).sort()).toEqual(
      ['categoryId', 'id', 'name', 'pk', 'status', 'statusShard', 'token'].sort(),
    );
    expect(stored?.token).not.toBe('x');
  });

  it('stores nothing of a request that it refuses', async () => {
    const before = await storedItems();

    await call(createPet, { body: { name: '', categoryId: 1 } });
    await call(createPet, { body: '{' });
    await call(createPet, { body: '{"__proto__":{"name":"Rex","categoryId":1}}' });
    await call(createPet, {
      body: { name: 'Rex', categoryId: 1 },
      headers: { Authorization: `Bearer ${apiKey}x` },
    });

    expect(await storedItems()).toEqual(before);
  });

  it('reads a body that the gateway decompressed, and ignores its Content-Encoding', async () => {
    const { status, json } = await call(createPet, {
      headers: { 'Content-Encoding': 'gzip' },
      body: { name: 'Rex', categoryId: 7 },
    });

    expect({ status, name: json.name }).toEqual({ status: 201, name: 'Rex' });
  });

  it('reads a body that the gateway encoded as base64', async () => {
    const body = Buffer.from('{"name":"Réx","categoryId":9007199254740993}').toString('base64');
    const { status, text } = await call(createPet, { event: { body, isBase64Encoded: true } });

    expect(status).toBe(201);
    expect(text).toContain('"name":"Réx","categoryId":9007199254740993');
  });

  it.each([
    ['a byte order mark', Buffer.from('\uFEFF{"name":"Rex","categoryId":1}'), 'JSON.'],
    [
      'bytes that are not UTF-8',
      Buffer.from('{"name":"R\xe9x","categoryId":1}', 'latin1'),
      'The body must be JSON in UTF-8.',
    ],
  ])('responds 400 for %s in base64', async (_case, bytes, message) => {
    const event = { body: bytes.toString('base64'), isBase64Encoded: true };

    const { status, json } = await call(createPet, { event });

    expect(status).toBe(400);
    expect(json.message).toContain(message);
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
