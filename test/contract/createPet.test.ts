import { describe, expect, it } from 'vitest';
import { addSamplePet } from './addSamplePet.ts';
import {
  bodyOf,
  bodyWith,
  faultyBody,
  keptValues,
  minimal,
  otherValues,
  sampleKey,
  samplePets,
  unknownMember,
} from './petResource.ts';
import { expectError, expectStatus, type Received, send } from './send.ts';
import { pathOf, skipBehindGateway, skipUnlessPetsMayBeAdded } from './serviceUnderTest.ts';

const maxBodyBytes = 64 * 1024;

const add = (body: string, headers: Record<string, string> = {}) =>
  send('POST', '/pets', { headers, body });

const isReplayed = ({ headers }: Received) => headers.get('Idempotent-Replayed') === 'true';

/** Adds an object of 3,000 unknown members to a body. */
const withUnknown = (memberOf: (n: number) => string) => (body: string) => {
  const members = Array.from({ length: 3000 }, (_, n) => memberOf(n));
  return body.replace('{', `{"${unknownMember}":{${members}},`);
};

function withFraction(body: string): string {
  expect(body, 'an int64').toMatch(/\d{19},/);
  return body.replace(/(\d{19}),/, '$1.0,');
}

/** Expects the pet as it was sent, in the 201 and right after it at the Location. */
async function expectAdded(added: Received, pet: object): Promise<void> {
  expectStatus(added, 201);
  expect(added.json).toEqual(expect.objectContaining(pet));
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

    const added = await add(bodyOf(samplePets.smallest));

    await expectAdded(added, samplePets.smallest);
    expect(isReplayed(added)).toBe(false);
  });

  it('fills in defaults, assigns the id, and ignores unknown members', async (context) => {
    skipUnlessPetsMayBeAdded(context, 'any');
    const { json: first } = await add(minimal.body);
    const added = await add(minimal.bodyWithMore);

    await expectAdded(added, minimal.pet);
    expect(added.json.id).toBeGreaterThan(first.id);
  });

  it.for(keptValues)('keeps %s', async ([, changed, kept], context) => {
    skipUnlessPetsMayBeAdded(context, 'any');

    const added = await add(bodyWith(changed));

    await expectAdded(added, kept);
  });

  it.for<[string, (body: string) => string | Uint8Array<ArrayBuffer>, string?]>([
    ['the same bytes', (body) => body],
    [
      'an unknown member of 63 levels',
      (body) => body.replace('{', `{"${unknownMember}":${'['.repeat(63)}1.5${']'.repeat(63)},`),
    ],
    ['thousands of unknown members', withUnknown((n) => `"${n}":{}`)],
    ['thousands of numbers beyond every double', withUnknown((n) => `"${n}":1e999999999`)],
    ['a fraction of zero', withFraction],
    ['white space up to 64 KiB', (body) => body.padEnd(maxBodyBytes)],
    ['a member twice, of which the last counts', (body) => body.replace('{', '{"status":"lost",')],
    ['no Content-Type', (body) => new TextEncoder().encode(body)],
    ['parameters', (body) => body, 'Application/JSON ; charset="utf-8"; x=y'],
    ['another charset, which is ignored', (body) => body, 'application/json; charset=iso-8859-1'],
    ['a +json type', (body) => body, 'application/vnd.petstore+json; charset=utf-8'],
    ['a +json type with the rarest characters', (body) => body, 'application/vnd.pets_1-a+x+json'],
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
    expect(isReplayed(retried)).toBe(true);
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
    const notReplayed = [first, ...others].filter((each) => !isReplayed(each));
    expect(notReplayed.length).toBeLessThanOrEqual(1);
  });

  it.for(otherValues)('responds 422 if the body has another %s', async ([, change], context) => {
    await addSamplePet(context, 'largest');

    const headers = { 'Idempotency-Key': sampleKey('largest') };
    const refused = await add(bodyOf({ ...samplePets.largest, ...change }), headers);

    expectError(refused, 'idempotency_key_reused', /Idempotency-Key.+new key/);
  });

  it('forgets the key of a refused request', async (context) => {
    skipUnlessPetsMayBeAdded(context, 'any');
    const headers = { 'Idempotency-Key': 'refused-first' };

    expectError(await add(faultyBody, headers), 'bad_request');
    expectStatus(await add(minimal.body, headers), 201);
  });

  it.for([
    ['one character', 'a'],
    ['255 characters', 'x'.repeat(255)],
    ['a quoted UUID (IETF draft)', '"8e03978e-40d5-43dd-bc93-6894a57f9324"'],
    ['punctuation', '!~#/+='],
  ] as const)('takes a key of %s', async ([, key], context) => {
    skipUnlessPetsMayBeAdded(context, 'any');

    expectStatus(await add(minimal.body, { 'Idempotency-Key': key }), 201);
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
    const refused = await add(faultyBody, { 'Idempotency-Key': 'a b' });

    expectError(refused, 'bad_request', /idempotency-key must.+; /, /; .+ must/);
  });
});
