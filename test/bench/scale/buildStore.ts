import { mkdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { functionEnvironment } from '../../../infra/functionEnvironment.ts';
import { createTables } from '../../../infra/local/createTables.ts';
import { openLocalDatabase } from '../../../infra/local/localDatabase.ts';
import { localStage } from '../../../infra/local/localStage.ts';
import { benchPet } from './benchPet.ts';

/** What this uses of dynalite's own storage, for which there are no types. */
type Item = Record<string, { S: string } | { N: string }>;
type Table = { GlobalSecondaryIndexes: [{ KeySchema: unknown }] };
type Put = { type: 'put'; key: string; value: Item };
type Callback<T> = (error: Error | null, value: T) => void;
type Storage = { batch(puts: Put[], callback: Callback<void>): void };
type Dynalite = {
  create(options: { path: string }): {
    db: { open(): Promise<void>; close(): Promise<void> };
    getTable(name: string, callback: Callback<Table>): void;
    getItemDb(table: string): Storage;
    getIndexDb(kind: 'global', table: string, index: string): Storage;
  };
  createKey(item: Item, table: Table): string;
  createIndexKey(item: Item, table: Table, keySchema: unknown): string;
};

const dynalite: Dynalite = createRequire(import.meta.url)('dynalite/db');

const batchPets = 1_000;

const { name: stage, tableNames, shards, idsPerLease } = localStage;
Object.assign(process.env, functionEnvironment({ stage, tableNames, shards, idsPerLease }));
// Imported only now, because lib/config.ts reads the environment as it loads.
const { petItem } = await import('../../../lib/pets/petStore.ts');

// A process of its own, which makes a data folder of `npm start` with so many pets in it. They are
// written into LevelDB as dynalite would write them, which takes a seventh of the time that they take
// by way of HTTP and the SDK.

const [, , folder = '', pets = ''] = process.argv;
const unfinished = `${folder}.unfinished`;
await rm(unfinished, { recursive: true, force: true });
await mkdir(unfinished, { recursive: true });
const database = await openLocalDatabase(unfinished);
await createTables(tableNames);
await database.stop();
await writePets(join(unfinished, 'dynamodb'), Number(pets));
await rename(unfinished, folder);
process.exit();

async function writePets(path: string, petCount: number): Promise<void> {
  const store = dynalite.create({ path });
  await store.db.open();
  const table = await promised<Table>((done) => store.getTable(tableNames.pets, done));
  const { KeySchema } = table.GlobalSecondaryIndexes[0];
  const items = store.getItemDb(tableNames.pets);
  const index = store.getIndexDb('global', tableNames.pets, 'byStatus');
  const itemPut = (value: Item) => put(dynalite.createKey(value, table), value);
  const indexPut = (value: Item) => put(dynalite.createIndexKey(value, table, KeySchema), value);

  const counter = itemPut({ pk: { S: 'COUNTER' }, lastId: { N: String(petCount) } });
  await promised<void>((done) => items.batch([counter], done));
  const token = crypto.randomUUID();
  for (let first = 1; first <= petCount; first += batchPets) {
    const count = Math.min(batchPets, petCount - first + 1);
    const values = Array.from({ length: count }, (_, n) =>
      petItem(benchPet(BigInt(first + n), petCount), token),
    );
    await promised<void>((done) => items.batch(values.map(itemPut), done));
    await promised<void>((done) => index.batch(values.map(indexPut), done));
  }
  await store.db.close();
}

function put(key: string, value: Item): Put {
  return { type: 'put', key, value };
}

function promised<T>(call: (done: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value)));
  });
}
