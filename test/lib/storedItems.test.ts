import { readFileSync } from 'node:fs';
import { type AttributeValue, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { apiKeyDigest, apiKeyId, createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { config } from '../../lib/config.ts';
import { dynamoDb } from '../../lib/dynamodb/client.ts';
import { parseExactJson } from '../../lib/int64.ts';
import { operationEntries } from '../../lib/operations.ts';
import { Pet } from '../../lib/schemas.ts';
import { type TableName, tables } from '../../lib/tables.ts';
import { issueApiKey, revokeApiKey } from '../../tools/apiKeyRegistry.ts';
import { unknownMember } from '../contract/petResource.ts';
import { call, registry } from '../helpers/api.ts';
import { emptyTables, storedItems } from '../helpers/database.ts';
import { minimalPet, pinnedPet, textOfItem } from '../helpers/samplePets.ts';

// storedItems.json has the items of version 1.0.0, attribute by attribute. This version writes the same
// ones, so an old table keeps working, and a release can be rolled back. After the first deployment, no line
// of the file may change. `npx vitest run test/lib/storedItems.test.ts -u` adds a new attribute, or the items of a new table.
// `git diff` must then show only new lines.

const file = 'test/lib/storedItems.json';

type Item = Record<string, AttributeValue>;
type Creation = { pet: Item; record: Item };

const put = (table: TableName, Item: Item = {}) =>
  dynamoDb().send(new PutItemCommand({ TableName: config().tableNames[table], Item }));

/** Reads an item. Its attributes are in alphabetical order, because engines differ. */
async function read(table: TableName, Key: Item): Promise<Item> {
  const command = new GetItemCommand({ TableName: config().tableNames[table], Key });
  const { Item = {} } = await dynamoDb().send(command);
  return Object.fromEntries(Object.entries(Item).sort());
}

const apiKey = createApiKey(config().stage);
const headers = { Authorization: `Bearer ${apiKey}` };

/** A part of the key of a record. The file has another one instead. */
const keyId = apiKeyId(apiKeyDigest(apiKey));
const keyIdInFile = 'key_000000000000';

const stored: {
  counter: Item;
  pinned: Creation;
  minimal: Creation;
  apiKeys: Record<string, Item>;
} = JSON.parse(readFileSync(file, 'utf8').replaceAll(keyIdInFile, keyId));

/** The tables in which operations put items. */
const writtenTables = new Set(
  operationEntries.flatMap(([, { access }]) =>
    access.filter(({ action }) => action === 'PutItem').map(({ table }) => table),
  ),
);

const token = '0b3a1c7e-4c5f-4c0e-9d62-0d7a2f1a9c55';

const add = (body: object, idempotencyKey?: string) =>
  call(createPet, { body, headers, ...(idempotencyKey && { idempotencyKey }) });

beforeEach(async () => {
  await emptyTables();
  // The records of the file expire a day later.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T16:00:00Z') });
  await put('apiKeys', {
    digest: { S: apiKeyDigest(apiKey) },
    name: { S: 'partner' },
    createdAtEpochSeconds: { N: '1795132800' },
    expiresAtEpochSeconds: { N: '4102444800' },
  });
});

const changed = `${file} has other items than this version writes. After the first deployment, undo the change, unless it only adds an attribute. Record it with: npx vitest run ${file.replace('.json', '.test.ts')} -u -t "of this version"`;

describe('items of version 1.0.0', () => {
  beforeAll(() => {
    const { data } = Pet.safeParse(parseExactJson(textOfItem(stored.pinned.pet)));
    expect(data, changed).toEqual({ ...pinnedPet, id: 1n });
  });

  it('getPet and listPets return a pet of version 1.0.0 to an API key of the same version', async () => {
    await put('apiKeys', { ...stored.apiKeys.endless, digest: { S: apiKeyDigest(apiKey) } });
    await put('pets', stored.pinned.pet);

    const text = textOfItem(stored.pinned.pet);
    const pathParameters = { petId: `${stored.pinned.pet.id?.N}` };
    expect((await call(getPet, { pathParameters, headers })).text).toBe(text);
    expect((await call(listPets, { headers })).text).toBe(`[${text}]`);
  });

  it('the next id follows the counter of version 1.0.0', async () => {
    await put('pets', stored.counter);

    expect((await add(minimalPet)).json.id).toBe(Number(stored.counter.lastId?.N) + 1);
  });

  it.each([
    ['pinned', pinnedPet],
    ['minimal', minimalPet],
  ] as const)(
    'a record of an Idempotency-Key of version 1.0.0 decides the response, with and without its pet: %s',
    async (name, body) => {
      const { record, pet } = stored[name];
      await put('idempotency', record);

      const planned = await add(body, name);
      const written = await read('pets', { pk: pet.pk ?? expect.fail() });
      const again = await add(body, name);

      const response = { status: 201, text: textOfItem(pet) };
      expect(planned).toMatchObject(response);
      expect(written).toEqual(pet);
      expect(again).toMatchObject(response);
    },
  );
});

describe('an item of this version', () => {
  it('is a counter, a pet, a record or an API key as version 1.0.0 writes it', async () => {
    vi.spyOn(crypto, 'randomUUID').mockReturnValue(token);
    const create = async (body: object, name: string): Promise<Creation> => {
      const { text } = await add(body, name);
      const [id] = /\d+/.exec(text) ?? expect.fail(text);
      const scopedKey = { S: `pets#${keyId}#${name}` };
      return {
        pet: await read('pets', { pk: { S: `PET#${id}` } }),
        record: await read('idempotency', { scopedKey }),
      };
    };

    const pinned = await create(pinnedPet, 'pinned');
    const minimal = await create(minimalPet, 'minimal');
    const counter = await read('pets', { pk: { S: 'COUNTER' } });
    const endless = await issueApiKey(registry, { name: 'partner' });
    const options = { name: 'auditor', readOnly: true, lifetimeSeconds: 86_400n };
    const revoked = await issueApiKey(registry, options);
    await revokeApiKey(registry, apiKeyId(apiKeyDigest(revoked)));
    const readKey = async (key: string) => {
      const { digest, ...attributes } = await read('apiKeys', { digest: { S: apiKeyDigest(key) } });
      return attributes;
    };
    const apiKeys = { endless: await readKey(endless), revoked: await readKey(revoked) };

    const text = JSON.stringify({ counter, pinned, minimal, apiKeys }, null, 2)
      .replaceAll(/\{\s+("\w+": .+)\s+\}/g, '{ $1 }') // a line for each attribute
      .replaceAll(keyId, keyIdInFile);
    await expect(`${text}\n`, changed).toMatchFileSnapshot('storedItems.json');
    for (const table of writtenTables) {
      const keys = (await storedItems(config().tableNames[table])).map(
        (item) => `"${String(item[tables[table].partitionKey.name]).replace(keyId, keyIdInFile)}"`,
      );
      const inFile = keys.filter((key) => text.includes(key));
      const missing = `add a creation in the table ${table} to this test, and its items to ${file}`;
      expect(inFile.length, missing).toBeGreaterThan(0);
    }
  });

  it('has no member that the client chose', async () => {
    const chosen = { id: 7, pk: 'COUNTER', token: 'x', [unknownMember]: 'me' };

    const plain = await add(minimalPet);
    const { json } = await add({ ...minimalPet, ...chosen });

    const readPet = (id: number) => read('pets', { pk: { S: `PET#${id}` } });
    const item = await readPet(json.id);
    expect(Object.keys(item)).toEqual(Object.keys(await readPet(plain.json.id)));
    expect(item).toHaveProperty('token.S', expect.stringMatching(/^[\da-f-]{36}$/));
  });
});
