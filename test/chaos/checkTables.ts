import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  type ScanCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { TableNames } from '../../infra/functionEnvironment.ts';
import { idIn, type Ledger } from './Ledger.ts';

type Item = Record<string, AttributeValue>;

type Tables = {
  endpoint: string;
  tableNames: TableNames;
  /**
   * Whether the index may contain a pet that the table does not. The embedded engine writes the index
   * first, so killing the engine between the two writes leaves an entry. It was never acknowledged.
   */
  mayIndexHoldMore: boolean;
};

/**
 * Reads the tables and returns each broken promise as a sentence.
 *
 * It uses scans and a plain SDK client, not the service's code, so that a bug there cannot hide itself.
 */
export async function checkTables(
  ledger: Ledger,
  { endpoint, tableNames, mayIndexHoldMore }: Tables,
): Promise<string[]> {
  const client = plainClient(endpoint);
  const [items, indexed, records] = await Promise.all([
    scan(client, { TableName: tableNames.pets }),
    scan(client, { TableName: tableNames.pets, IndexName: 'byStatus' }),
    scan(client, { TableName: tableNames.idempotency }),
  ]);
  client.destroy();

  const counters = items.filter(({ pk }) => pk?.S === 'COUNTER');
  const pets = items.filter(({ pk }) => pk?.S !== 'COUNTER');
  return [
    ...acknowledgedPets(ledger, pets),
    ...namesOnce(ledger, pets),
    ...distinct('id', pets, ({ id }) => id?.N),
    ...distinct('token', pets, ({ token }) => token?.S),
    ...formOfPets(pets),
    ...counterAhead(counters, pets),
    ...indexComplete(pets, indexed, mayIndexHoldMore),
    ...recordsHold(ledger, records, pets),
  ];
}

async function scan(client: DynamoDBClient, input: ScanCommandInput): Promise<Item[]> {
  const items: Item[] = [];
  let startKey: Item | undefined;
  do {
    const page = await client.send(new ScanCommand({ ...input, ExclusiveStartKey: startKey }));
    items.push(...(page.Items ?? []));
    startKey = page.LastEvaluatedKey;
  } while (startKey);
  return items;
}

/** Each acknowledged pet is stored under its id, exactly as acknowledged. */
function acknowledgedPets(ledger: Ledger, pets: Item[]): string[] {
  const byId = new Map(pets.map((pet) => [pet.pk?.S, pet]));
  return ledger.acknowledged().flatMap(({ acknowledgement = '' }) => {
    const pet = byId.get(`PET#${idIn(acknowledgement)}`);
    if (!pet) return [`${acknowledgement} was acknowledged but is not stored`];
    const stored = textOf(pet);
    return stored === acknowledgement ? [] : [`${acknowledgement} is stored as ${stored}`];
  });
}

/** The JSON text of a pet as in a response, digit for digit. */
function textOf({ id, name, categoryId, status }: Item): string {
  return `{"id":${id?.N},"name":${JSON.stringify(name?.S)},"categoryId":${categoryId?.N},"status":"${status?.S}"}`;
}

/** Each creation made at most one pet, acknowledged or not. Nothing else made a pet. */
function namesOnce(ledger: Ledger, pets: Item[]): string[] {
  const sent = new Set(ledger.creations.map(({ name }) => name));
  const forbidden = new Set(ledger.forbiddenNames);
  const strangers = pets.flatMap(({ name }) => {
    if (forbidden.has(name?.S ?? '')) return [`"${name?.S}" must not be stored but is`];
    return sent.has(name?.S ?? '') ? [] : [`"${name?.S}" is stored but was never sent`];
  });
  return [...strangers, ...distinct('name', pets, ({ name }) => name?.S)];
}

function distinct(what: string, pets: Item[], read: (pet: Item) => string | undefined) {
  const groups = Map.groupBy(pets, read);
  return [...groups].flatMap(([value, { length }]) =>
    value === undefined || length > 1 ? [`the ${what} ${value} occurs ${length} times`] : [],
  );
}

function formOfPets(pets: Item[]): string[] {
  return pets.flatMap((pet) => {
    const isRight =
      pet.pk?.S === `PET#${pet.id?.N}` && pet.statusShard?.S?.startsWith(`${pet.status?.S}#`);
    return isRight ? [] : [`the item ${pet.pk?.S} is ${JSON.stringify(pet)}`];
  });
}

/** Otherwise the next creates would meet taken ids. */
function counterAhead(counters: Item[], pets: Item[]): string[] {
  const lastId = BigInt(counters[0]?.lastId?.N ?? '0');
  return pets.flatMap(({ id }) =>
    BigInt(id?.N ?? '0') > lastId ? [`the counter is at ${lastId}, behind the id ${id?.N}`] : [],
  );
}

function indexComplete(pets: Item[], indexed: Item[], mayHoldMore: boolean): string[] {
  const inTable = new Set(pets.map(textOf));
  const inIndex = new Set(indexed.map(textOf));
  const missing = [...inTable.difference(inIndex)].map((pet) => `${pet} is not in the index`);
  const extra = [...inIndex.difference(inTable)].map((pet) => `${pet} is only in the index`);
  const twice = indexed.length > inIndex.size ? ['the index has a pet twice'] : [];
  return [...missing, ...(mayHoldMore ? [] : extra), ...twice];
}

/** The record of each acknowledged key names the acknowledged pet, which has the record's token. */
function recordsHold(ledger: Ledger, records: Item[], pets: Item[]): string[] {
  const byKey = new Map(records.map((record) => [record.scopedKey?.S?.split('#')[1], record]));
  const byId = new Map(pets.map((pet) => [pet.id?.N, pet]));
  return ledger.acknowledged().flatMap(({ idempotencyKey, acknowledgement = '' }) => {
    if (idempotencyKey === undefined) return [];
    const record = byKey.get(idempotencyKey);
    const pet = byId.get(idIn(acknowledgement));
    const isRight = record?.petId?.N === pet?.id?.N && record?.token?.S === pet?.token?.S;
    return isRight ? [] : [`the record of ${idempotencyKey} does not match ${acknowledgement}`];
  });
}

const mostIdsBack = 100;

/** Sets the id counter back, as a restore to an earlier point does. Returns by how many ids. */
export async function setCounterBack(endpoint: string, TableName: string): Promise<number> {
  const client = plainClient(endpoint);
  const Key = { pk: { S: 'COUNTER' } };
  const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  const lastId = Number(Item?.lastId?.N ?? 0);
  const idsBack = Math.min(lastId, mostIdsBack);
  const counter = { ...Key, lastId: { N: String(lastId - idsBack) } };
  await client.send(new PutItemCommand({ TableName, Item: counter }));
  client.destroy();
  return idsBack;
}

/** The SDK without the service's settings. */
function plainClient(endpoint: string): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return new DynamoDBClient({ endpoint, region: 'local', credentials });
}
