import { describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { unknownMember } from '../contract/petResource.ts';
import { apiKey, call } from '../helpers/api.ts';
import { storedItems } from '../helpers/database.ts';
import { minimalPet, newKey, petNamed, petText, rex, withoutId } from '../helpers/samplePets.ts';

// test/contract tests what clients see. Here: the store, base64 and repeated headers.

describe('createPet', () => {
  it('stores nothing of a request that it refuses', async () => {
    const before = await storedItems();

    await call(createPet, { body: {} });
    await call(createPet, { body: '{' });
    await call(createPet, { body: rex, headers: { Authorization: `Bearer ${apiKey}x` } });

    expect(await storedItems()).toEqual(before);
  });

  it('reads a body that the gateway encoded as base64, with brackets after an escape', async () => {
    const stored = petText(petNamed('Réx'));
    const sent = petText({ ...petNamed('Réx'), [unknownMember]: `\n"${'['.repeat(65)}` });
    const body = Buffer.from(sent).toString('base64');

    const { status, text } = await call(createPet, { event: { body, isBase64Encoded: true } });

    expect(status).toBe(201);
    expect(withoutId(text)).toBe(stored);
  });

  it('responds 400 for a string of 60,000 letters that does not end', async () => {
    expect((await call(createPet, { body: `{"name": "${'x'.repeat(60_000)}` })).status).toBe(400);
  });

  it('responds 400 for a byte order mark in base64, as in text', async () => {
    const body = Buffer.from(`\uFEFF${petText()}`).toString('base64');

    expect((await call(createPet, { event: { body, isBase64Encoded: true } })).status).toBe(400);
  });

  it('treats bodies with the same Idempotency-Key as equal if they mean the same pet', async () => {
    const idempotencyKey = newKey();
    const first = await call(createPet, { idempotencyKey, body: minimalPet });

    const reversed = Object.entries({ ...first.json, [unknownMember]: 'unknown' }).reverse();
    const second = await call(createPet, { idempotencyKey, body: Object.fromEntries(reversed) });

    expect(second.text).toBe(first.text);
  });

  it('responds 400 for two equal Idempotency-Keys, and names a fault of the body too', async () => {
    const { json } = await call(createPet, { body: {} });
    const multiValueHeaders = { 'Idempotency-Key': ['a', 'a'] };

    const refused = await call(createPet, { body: {}, event: { multiValueHeaders } });

    expect(refused.status).toBe(400);
    const message = `idempotency-key must be sent only once; ${json.message}`;
    expect(refused.json.message).toBe(message);
  });
});
