import { describe, expect, it, vi } from 'vitest';
import { createPetStoreClient, type Pet } from '../../client/src/createPetStoreClient.ts';
import type { PetStoreClientOptions } from '../../client/src/types.ts';
import { type OperationName, operationEntries } from '../../lib/operations.ts';
import { emptyTables } from '../helpers/database.ts';
import { exampleRequest, preparationsOf, sendExample } from '../helpers/exampleRequests.ts';
import { startGateway } from '../helpers/gateway.ts';
import { rejection, scriptedFetch } from '../helpers/petStoreClient.ts';
import { exactPets, int64Fields, minimalPet, otherFilter } from '../helpers/samplePets.ts';

const service = await startGateway();

const connect = (options: Partial<PetStoreClientOptions> = {}) =>
  createPetStoreClient({ ...service, ...options });

/** Calls the method of an operation with the ids, the body and the query of its example. */
async function callMethod(name: OperationName, options: Partial<PetStoreClientOptions>) {
  const { pathParameters = {}, query = {}, body } = exampleRequest(name);
  const ids = Object.values(pathParameters).map(BigInt);
  const client = connect(options) as Record<OperationName, (...sent: unknown[]) => unknown>;
  expect(client, 'add the method to client/src/createPetStoreClient.ts').toHaveProperty(name);
  await client[name](...ids, ...(body ? [body] : []), query);
}

describe('the method of an operation', () => {
  it.each(operationEntries)('reaches the method and path of its row: %s', async (name, row) => {
    await emptyTables();
    for (const each of preparationsOf(name)) await sendExample(each);
    const { pathParameters = {}, query } = exampleRequest(name);
    const fetch = vi.fn(globalThis.fetch);

    await callMethod(name, { fetch });

    const path = row.path.replaceAll(
      /\{(\w+)\}/g,
      (_, parameter) => `${pathParameters[parameter]}`,
    );
    const sent = String(new URLSearchParams(query));
    expect(fetch).toHaveBeenCalledExactlyOnceWith(
      `${service.baseAddress}${path}${sent && `?${sent}`}`,
      expect.objectContaining({ method: row.method }),
    );
  });

  it.each(operationEntries.filter(([, { output }]) => output))(
    'rejects a success without the members of its row: %s',
    async (name, { successStatus }) => {
      const response = Response.json({ hello: 'world' }, { status: successStatus });

      const error = await rejection(callMethod(name, scriptedFetch(response)));

      expect(error).toMatchObject({ code: 'unexpected_response', status: successStatus });
    },
  );
});

describe('createPet, getPet and listPets', () => {
  it.each(exactPets)('keep each integer exact: %o', async (newPet) => {
    const client = connect();
    expect(int64Fields).not.toEqual([]);

    const created = await client.createPet(newPet);

    expect(created).toEqual({ id: expect.any(BigInt), ...newPet });
    expect(await client.getPet(created.id)).toEqual(created);
    expect((await client.listPets({ limit: 100 })).pets).toContainEqual(created);
  });
});

describe('createPet', () => {
  it('adds one pet for two calls with one idempotencyKey, and says that the second is a replay', async () => {
    const idempotencyKey = 'x'.repeat(255);
    const create = () => connect().createPet(minimalPet, { idempotencyKey });
    const first = await create().withResponse();
    const second = await create().withResponse();

    expect(second.data).toEqual(first.data);
    expect([first.isReplayed, second.isReplayed]).toEqual([false, true]);
  });

  it('gives the status, headers and request id with withResponse', async () => {
    const { data, status, headers, requestId } = await connect()
      .createPet(minimalPet)
      .withResponse();

    expect({ status, requestId }).toEqual({ status: 201, requestId: headers.get('X-Request-Id') });
    expect(headers.get('Location')).toBe(`${service.baseAddress}/pets/${data.id}`);
  });
});

describe('allPets', () => {
  it('yields each pet once, in order, with the filter on every page', async () => {
    await emptyTables();
    const created: Pet[] = [];
    for (const member of [otherFilter, {}, otherFilter]) {
      created.push(await connect().createPet({ ...minimalPet, ...member }));
    }
    const fetch = vi.fn(globalThis.fetch);
    const query = { limit: 1, ...otherFilter, cursor: undefined };
    const sent = `?${new URLSearchParams({ limit: '1', ...otherFilter })}`;

    const pets = await Array.fromAsync(connect({ fetch }).allPets(query));

    expect(pets).toEqual([created[0], created[2]]);
    expect(fetch.mock.calls.map(([address]) => new URL(String(address)).search)).toEqual([
      sent,
      ...Array(2).fill(expect.stringMatching(new RegExp(`^\\${sent}&cursor=[\\w-]+$`))),
    ]);
  });

  it('requests no page that the caller does not reach', async () => {
    const fetch = vi.fn(globalThis.fetch);

    for await (const _pet of connect({ fetch }).allPets({ limit: 1 })) break;

    expect(fetch).toHaveBeenCalledOnce();
  });
});
