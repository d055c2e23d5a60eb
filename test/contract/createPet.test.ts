import { describe, expect, it } from 'vitest';
import { addSamplePet, bodyOf, petNamePrefix, sampleKey, samplePets } from './samplePets.ts';
import { type Received, send } from './send.ts';
import { pathOf, skipBehindGateway, skipUnlessPetsMayBeAdded } from './serviceUnderTest.ts';
import { expectError, expectStatus } from './universalRules.ts';

const maxBodyBytes = 64 * 1024;

const add = (body: string, headers: Record<string, string> = {}) =>
  send('POST', '/pets', { headers, body });

/** Expects a pet as it was sent, from the Location too, right after the 201. */
async function expectAdded(added: Received, pet: object): Promise<void> {
  expectStatus(added, 201);
  expect(added.json).toEqual({ id: expect.any(BigInt), ...pet });
  const path = pathOf(added.headers.get('Location') ?? '');
  expect(path).toBe(`/pets/${added.json.id}`);
  const read = await send('GET', path);
  expectStatus(read, 200);
  expect(read.json).toEqual(added.json);
}

describe('createPet', () => {
  it.for(['largest', 'odd'] as const)('adds the %s pet exactly as sent', async (name, context) => {
    await expectAdded(await addSamplePet(context, name), samplePets[name]);
  });

  it('adds the smallest pet exactly as sent, without an Idempotency-Key', async (context) => {
    skipUnlessPetsMayBeAdded(context, 'few');

    await expectAdded(await add(bodyOf(samplePets.smallest)), samplePets.smallest);
  });

  it('makes a pet available and assigns its id, and ignores unknown members', async (context) => {
    skipUnlessPetsMayBeAdded(context, 'any');
    const { json: first } = await add('{"name":"Rex","categoryId":7}');
    const added = await add('{"id":1,"name":"Mia","categoryId":7,"owner":"me","pk":"COUNTER"}');

    expect(first.status).toBe('available');
    await expectAdded(added, { name: 'Mia', categoryId: 7n, status: 'available' });
    expect(added.json.id).toBeGreaterThan(first.id);
  });

  it.for([
    ['9007199254740993', 9007199254740993n],
    ['-0', 0n],
    ['1.0', 1n],
    ['1e2', 100n],
    ['1E+2', 100n],
    ['9223372036854775.807e3', 9223372036854775807n],
    ['10000000000000000000000e-4', 10n ** 18n],
  ] as const)('keeps categoryId %s as %s', async ([sent, kept], context) => {
    skipUnlessPetsMayBeAdded(context, 'any');

    const added = await add(`{"name":"Rex","categoryId":${sent}}`);

    await expectAdded(added, { name: 'Rex', categoryId: kept, status: 'available' });
  });

  it.for([
    ['one character', 'R'],
    ['255 characters outside the basic plane', '🐕'.repeat(255)],
    ['white space around it', '  Rex\t'],
    ['the name of a prototype', '__proto__'],
    ['brackets and quotes', '[{"\\'.repeat(40)],
    ['a byte order mark and a null', '\uFEFFa\0'],
  ])('keeps a name of %s verbatim', async ([, name], context) => {
    skipUnlessPetsMayBeAdded(context, 'any');

    const added = await add(`{"name":${JSON.stringify(name)},"categoryId":1,"status":"pending"}`);

    await expectAdded(added, { name, categoryId: 1n, status: 'pending' });
  });

  it.for<[string, (body: string) => string | Uint8Array<ArrayBuffer>, string?]>([
    ['the same bytes', (body) => body],
    [
      'an unknown member of 63 levels',
      (body) => body.replace('{', `{"note":${'['.repeat(63)}1.5${']'.repeat(63)},`),
    ],
    ['a fraction of zero', (body) => body.replace(/(\d{19}),/, '$1.0,')],
    ['white space up to 64 KiB', (body) => body.padEnd(maxBodyBytes)],
    ['no Content-Type', (body) => new TextEncoder().encode(body)],
    ['parameters', (body) => body, 'Application/JSON ; charset="utf-8"; x=y'],
    ['a +json type', (body) => body, 'application/vnd.petstore+json; charset=utf-8'],
    ['a rare +json type', (body) => body, 'application/x!#$&^_.pets+json'],
  ])('takes a body with %s', async ([, change, mediaType], context) => {
    const added = await addSamplePet(context, 'largest');
    const headers = {
      'Idempotency-Key': sampleKey('largest'),
      ...(mediaType && { 'Content-Type': mediaType }),
    };

    const body = change(bodyOf(samplePets.largest));
    const retried = await send('POST', '/pets', { headers, body });

    expectStatus(retried, 201);
    expect(retried.json).toEqual(added.json);
    expect(retried.headers.get('Location')).toBe(added.headers.get('Location'));
  });
});

describe('createPet with an Idempotency-Key', () => {
  it('adds one pet for requests that race', async (context) => {
    skipUnlessPetsMayBeAdded(context, 'few');
    const headers = { 'Idempotency-Key': sampleKey('raced') };
    const addRaced = () => add(bodyOf(samplePets.raced), headers);

    const [first, ...others] = await Promise.all([addRaced(), addRaced(), addRaced()]);

    await expectAdded(first, samplePets.raced);
    expect(others.map(({ status, json }) => ({ status, json }))).toEqual(
      Array(2).fill({ status: 201, json: first.json }),
    );
  });

  it.for([
    ['name', { name: `${petNamePrefix} another` }],
    ['categoryId beyond 2^53', { categoryId: samplePets.largest.categoryId - 1n }],
    ['status', { status: 'pending' }],
  ] as const)('responds 422 if the body has another %s', async ([, change], context) => {
    await addSamplePet(context, 'largest');

    const headers = { 'Idempotency-Key': sampleKey('largest') };
    const refused = await add(bodyOf({ ...samplePets.largest, ...change }), headers);

    expectError(refused, 'idempotency_key_reused', /Idempotency-Key.+new key/);
  });

  it('forgets the key of a refused request', async (context) => {
    skipUnlessPetsMayBeAdded(context, 'any');
    const headers = { 'Idempotency-Key': 'refused-first' };

    expectError(await add('{"name":""}', headers), 'bad_request');
    expectStatus(await add('{"name":"Rex","categoryId":1}', headers), 201);
  });

  it.for([
    ['one character', 'a'],
    ['255 characters', 'x'.repeat(255)],
    ['a quoted UUID (IETF draft)', '"8e03978e-40d5-43dd-bc93-6894a57f9324"'],
    ['punctuation', '!~#/+='],
  ] as const)('takes a key of %s', async ([, key], context) => {
    skipUnlessPetsMayBeAdded(context, 'any');

    const body = '{"name":"Rex","categoryId":1}';
    expectStatus(await add(body, { 'Idempotency-Key': key }), 201);
  });

  it.for([
    ['longer than 255 characters', 'x'.repeat(256)],
    ['two words', 'a b'],
    ['two keys', 'a, b'],
  ] as const)('responds 400 if the key is %s', async ([, key]) => {
    const refused = await add(bodyOf(samplePets.largest), { 'Idempotency-Key': key });

    expectError(refused, 'bad_request', /^idempotency-key must have 1 to 255 visible ASCII/i);
  });

  it.for(['', 'clé'])('responds 400 for the key "%s"', async (key, context) => {
    skipBehindGateway(context, 'drop or change such a header');

    const refused = await add(bodyOf(samplePets.largest), { 'Idempotency-Key': key });

    expectError(refused, 'bad_request', /^idempotency-key must have 1 to 255 visible ASCII/i);
  });

  it('names faults of key and body in one message', async () => {
    const refused = await add('{"categoryId":1}', { 'Idempotency-Key': 'a b' });

    expectError(refused, 'bad_request', /idempotency-key must/, /name must/);
  });
});
