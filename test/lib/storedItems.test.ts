import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { issueApiKey } from '../../infra/tools/apiKeyRegistry.ts';
import { apiKeyDigest, apiKeyId } from '../../lib/apiKeys/apiKey.ts';
import { config } from '../../lib/config.ts';
import { dynamoDb } from '../../lib/dynamodb/client.ts';
import { apiKey, call, registry } from '../helpers/api.ts';
import { emptyStore } from '../helpers/database.ts';

// The items of version 1.0.0 and of this version are the same, attribute by attribute. So an old table
// keeps working, and a release can be rolled back. These literals must not change.

type Item = NonNullable<PutItemCommand['input']['Item']>;

const put = (TableName: string, Item: Item) =>
  dynamoDb().send(new PutItemCommand({ TableName, Item }));

async function read(TableName: string, Key: Item): Promise<Item | undefined> {
  const { Item } = await dynamoDb().send(new GetItemCommand({ TableName, Key }));
  return Item;
}

const pet = {
  pk: { S: 'PET#41' },
  statusShard: { S: 'sold#0' },
  token: { S: '0b3a1c7e-4c5f-4c0e-9d62-0d7a2f1a9c55' },
  id: { N: '41' },
  name: { S: '犬' },
  categoryId: { N: '9223372036854775807' },
  status: { S: 'sold' },
} satisfies Item;
const petText = '{"id":41,"name":"犬","categoryId":9223372036854775807,"status":"sold"}';
const body = '{"name":"犬","categoryId":9223372036854775807,"status":"sold"}';

/** The record of an Idempotency-Key whose request reserved the id 41, and died before it wrote the pet. */
const recordOf = (idempotencyKey: string) =>
  ({
    scopedKey: { S: `${apiKeyId(apiKeyDigest(apiKey))}#${idempotencyKey}` },
    petId: { N: '41' },
    token: pet.token,
    fingerprint: { S: 'e38da427a9a3be9178eb8703df38e41275113477af1c87807d7831cab2913706' },
    expiresAtEpochSeconds: { N: String(Math.floor(Date.now() / 1000) + 60) },
  }) satisfies Item;

beforeEach(emptyStore);

describe('an item of version 1.0.0', () => {
  it('is a pet that getPet and listPets return', async () => {
    await put(config().tableNames.pets, pet);

    expect((await call(getPet, { petId: '41' })).text).toBe(petText);
    expect((await call(listPets, { query: { status: 'sold' } })).text).toBe(`[${petText}]`);
  });

  it('is the counter that the next id follows', async () => {
    await put(config().tableNames.pets, { pk: { S: 'COUNTER' }, lastId: { N: '41' } });

    expect((await call(createPet, { body })).json.id).toBe(42);
  });

  it('is a record of an Idempotency-Key, whose pet a retry writes as planned', async () => {
    await put(config().tableNames.idempotency, recordOf('in-flight'));

    const { status, text } = await call(createPet, { body, idempotencyKey: 'in-flight' });

    expect({ status, text }).toEqual({ status: 201, text: petText });
    expect(await read(config().tableNames.pets, { pk: pet.pk })).toEqual(pet);
  });

  it('is a record of an Idempotency-Key, whose pet is returned again', async () => {
    await put(config().tableNames.pets, pet);
    await put(config().tableNames.idempotency, recordOf('done'));

    const { status, text } = await call(createPet, { body, idempotencyKey: 'done' });

    expect({ status, text }).toEqual({ status: 201, text: petText });
  });

  it('is a record of an Idempotency-Key whose body had no status', async () => {
    const fingerprint = '413f6cc6d242a7a64466446d62a5880d4ceb880954cd3de3e7cff4604432614d';
    await put(config().tableNames.idempotency, {
      ...recordOf('without-status'),
      fingerprint: { S: fingerprint },
    });

    const { json } = await call(createPet, {
      body: '{"name":"Rex","categoryId":7}',
      idempotencyKey: 'without-status',
    });

    expect(json).toEqual({ id: 41, name: 'Rex', categoryId: 7, status: 'available' });
  });

  it('is an API key, with the characters of base64url', async () => {
    const key = 'ps_test_rc_tS8IdWdMPwmH-FXu7BM2AaZfnqjMggW6PwOLCFbIPNAPM8';
    await put(config().tableNames.apiKeys, {
      digest: { S: apiKeyDigest(key) },
      name: { S: 'partner' },
      createdAtEpochSeconds: { N: '1795132800' },
      expiresAtEpochSeconds: { N: '4102444800' },
    });

    const { status } = await call(listPets, { headers: { Authorization: `Bearer ${key}` } });

    expect(status).toBe(200);
  });
});

describe('an item of this version', () => {
  const number = { N: expect.stringMatching(/^[1-9]\d*$/) };
  const text = { S: expect.any(String) };

  it('is a pet and a counter as version 1.0.0 reads them, without members that the client chose', async () => {
    const { json } = await call(createPet, {
      body: body.replace('{', '{"id":7,"pk":"COUNTER","token":"x","owner":"me",'),
    });

    const id = { N: String(json.id) };
    expect(await read(config().tableNames.pets, { pk: { S: `PET#${json.id}` } })).toEqual({
      ...pet,
      pk: { S: `PET#${json.id}` },
      id,
      token: { S: expect.stringMatching(/^[\da-f-]{36}$/) },
    });
    expect(await read(config().tableNames.pets, { pk: { S: 'COUNTER' } })).toEqual({
      pk: { S: 'COUNTER' },
      lastId: id,
    });
  });

  it('is a record of an Idempotency-Key, with neither the key of the client nor the body', async () => {
    const { scopedKey, fingerprint } = recordOf('new');

    const { json } = await call(createPet, { body, idempotencyKey: 'new' });

    expect(await read(config().tableNames.idempotency, { scopedKey })).toEqual({
      scopedKey,
      petId: { N: String(json.id) },
      token: text,
      fingerprint,
      expiresAtEpochSeconds: number,
    });
  });

  it('is an API key by its digest', async () => {
    const digest = { S: apiKeyDigest(await issueApiKey(registry, { name: 'partner' })) };

    expect(await read(config().tableNames.apiKeys, { digest })).toEqual({
      digest,
      name: { S: 'partner' },
      createdAtEpochSeconds: number,
    });
  });
});
