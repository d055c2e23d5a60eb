import { beforeEach, describe, expect, it } from 'vitest';
import { samplePet } from '../../../infra/local/samplePet.ts';
import { petItem } from '../../../lib/pets/petStore.ts';
import { call } from '../../helpers/api.ts';
import { emptyStore, interceptDatabase } from '../../helpers/database.ts';
import { loadHandler } from '../../helpers/loadHandler.ts';
import { counterKey, listKeys, petKeys, placeOf } from './accessPattern.ts';
import { petBytes } from './awsLimits.ts';

const settings = { shards: 3, idsPerLease: 4 };
const environment = { SHARDS: '3', WRITE_SHARDS: '3', IDS_PER_LEASE: '4' };

type Attribute = { S?: string; N?: string };
type Input = { Key?: { pk: Attribute }; Item?: Record<string, Attribute> };

/** Records what the functions ask of the database from here on. */
async function recordInputs(): Promise<{ action: string; input: Input }[]> {
  const { dynamoDb } = await import('../../../lib/dynamodb/client.ts');
  const inputs: { action: string; input: Input }[] = [];
  interceptDatabase(({ action, input, pass }) => {
    inputs.push({ action, input: input as Input });
    return pass();
  }, dynamoDb);
  return inputs;
}

beforeEach(emptyStore);

describe('the access pattern of the model', () => {
  it('is that of createPet: the pet and its index entry, and the counter once a lease', async () => {
    const createPet = await loadHandler('createPet', environment);
    await call(createPet, { body: {} }); // the key is remembered from here on
    const inputs = await recordInputs();

    for (let n = 1; n <= 8; n += 1) await call(createPet, { body: { name: 'Rex', categoryId: 1 } });

    const written = inputs.map(({ input }) => ({
      table: { partitionKey: (input.Key?.pk ?? input.Item?.pk)?.S, sortKey: 0 },
      ...(input.Item && {
        index: { partitionKey: input.Item.statusShard?.S, sortKey: Number(input.Item.id?.N) },
      }),
    }));
    const pets = [1, 2, 3, 4, 5, 6, 7, 8].map((id) =>
      petKeys({ id, status: 'available' }, settings),
    );
    const lease = { table: counterKey };
    expect(written).toEqual([lease, ...pets.slice(0, 4), lease, ...pets.slice(4)]);
  });

  it.each([[{}], [{ status: 'sold' as const }]])('is that of listPets with %j', async (query) => {
    const listPets = await loadHandler('listPets', environment);
    await call(listPets);
    const inputs = await recordInputs();

    await call(listPets, { query });

    const asked = inputs.map(({ input }) => {
      const values = (input as { ExpressionAttributeValues?: Record<string, Attribute> })
        .ExpressionAttributeValues;
      return {
        partitionKey: values?.[':statusShard']?.S,
        sortKey: Number(values?.[':afterId']?.N),
      };
    });
    expect(asked).toEqual(listKeys(query, settings));
  });

  it('has pets of the size that made-up ones have', () => {
    const sizes = Array.from({ length: 1_000 }, (_, n) =>
      itemBytes(petItem(samplePet(BigInt(100_000 + n)), crypto.randomUUID())),
    );

    const mean = sizes.reduce((sum, bytes) => sum + bytes) / sizes.length;

    expect(mean / petBytes).toBeCloseTo(1, 1);
  });
});

describe('placeOf', () => {
  it('spreads pets evenly', () => {
    const quarters = [0, 0, 0, 0];
    for (let id = 1; id <= 4_000; id += 1) {
      const { table } = petKeys({ id, status: 'sold' }, settings);
      quarters[Math.floor(placeOf(table).hash * 4)] =
        (quarters[Math.floor(placeOf(table).hash * 4)] ?? 0) + 1;
    }

    for (const share of quarters) expect(share / 1_000).toBeCloseTo(1, 0);
  });
});

/** As DynamoDB counts: names and texts in UTF-8, a number a byte for two digits and one more. */
function itemBytes(item: ReturnType<typeof petItem>): number {
  const bytes = Object.entries(item).map(
    ([name, value]) =>
      Buffer.byteLength(name) +
      ('N' in value ? Math.ceil(value.N.length / 2) + 1 : Buffer.byteLength(value.S)),
  );
  return bytes.reduce((sum, each) => sum + each);
}
