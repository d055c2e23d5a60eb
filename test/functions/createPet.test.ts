import { describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { apiKey, call } from '../helpers/api.ts';
import { storedItems } from '../helpers/database.ts';
import { petText, rex } from '../helpers/samplePets.ts';

// test/contract tests what clients see. Here: exact messages, the store, and bodies in base64.

const nameRule = 'name must be a string of 1 to 255 characters, not all whitespace';
const categoryIdRule =
  'categoryId must be an integer from -9223372036854775808 to 9223372036854775807';
const statusRule = 'status must be one of available, pending, sold';

describe('createPet', () => {
  it.each([
    ['{"status":"lost"}', `${nameRule}; ${categoryIdRule}; ${statusRule}.`],
    [petText().replace('Rex', '\\ud800'), 'name must not contain lone surrogates.'],
    ['['.repeat(65), 'The body must not be nested deeper than 64 levels: send a flat JSON object.'],
    [
      '{"__proto__":{}}',
      'The body must not have a member named __proto__, nor a constructor with a prototype.',
    ],
    [' '.repeat(65_537), 'The body must not exceed 65536 bytes.'],
  ])('says what is valid, given the body %.45j', async (body, message) => {
    expect((await call(createPet, { body })).json.message).toBe(message);
  });

  it('says which media type is valid', async () => {
    const { json } = await call(createPet, { body: rex, headers: { 'Content-Type': '' } });

    expect(json.message).toBe('The Content-Type must be application/json.');
  });

  it('stores nothing of a request that it refuses', async () => {
    const before = await storedItems();

    await call(createPet, { body: { ...rex, name: '' } });
    await call(createPet, { body: '{' });
    await call(createPet, { body: rex, headers: { Authorization: `Bearer ${apiKey}x` } });

    expect(await storedItems()).toEqual(before);
  });

  it('reads a body that the gateway encoded as base64', async () => {
    const body = Buffer.from(petText({ name: 'Réx' })).toString('base64');

    const { status, json } = await call(createPet, { event: { body, isBase64Encoded: true } });

    expect(status).toBe(201);
    expect(json).toMatchObject({ ...rex, name: 'Réx' });
  });

  it.each([
    ['a byte order mark', Buffer.from(`\uFEFF${petText()}`), 'JSON.'],
    [
      'bytes that are not UTF-8',
      Buffer.from('"\xe9"', 'latin1'),
      'The body must be JSON in UTF-8.',
    ],
  ])('responds 400 for %s in base64', async (_case, bytes, message) => {
    const event = { body: bytes.toString('base64'), isBase64Encoded: true };

    const { status, json } = await call(createPet, { event });

    expect(status).toBe(400);
    expect(json.message).toContain(message);
  });
});
