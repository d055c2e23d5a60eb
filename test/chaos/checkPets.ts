import {
  type AttributeValue,
  DynamoDBClient,
  ScanCommand,
  type ScanCommandInput,
} from '@aws-sdk/client-dynamodb';
import { idIn, textOf } from '../helpers/petText.ts';
import type { Ledger } from './Ledger.ts';

type Item = Record<string, AttributeValue>;

type Pets = {
  endpoint: string;
  TableName: string;
  /**
   * Whether the index may contain a pet that the table does not. The embedded engine writes the index
   * first, so killing the engine between the two writes leaves an entry. It was never acknowledged.
   */
  mayIndexHoldMore: boolean;
};

/**
 * Reads the pets and returns each broken promise as a sentence.
 *
 * It uses scans and a plain SDK client, not the service's code, so that a bug there cannot hide itself.
 */
export async function checkPets(
  ledger: Ledger,
  { endpoint, TableName, mayIndexHoldMore }: Pets,
): Promise<string[]> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'local', credentials });
  const [items, indexed] = await Promise.all([
    scan(client, { TableName }),
    scan(client, { TableName, IndexName: 'byStatus' }),
  ]);
  client.destroy();

  const pets = items.filter(({ pk }) => pk?.S !== 'COUNTER');
  return [
    ...acknowledgedPets(ledger, pets),
    ...namesOnce(ledger, pets),
    ...distinct('id', pets, ({ id }) => id?.N),
    ...indexComplete(pets, indexed, mayIndexHoldMore),
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

/** Each creation made at most one pet, acknowledged or not. Nothing else made a pet. */
function namesOnce(ledger: Ledger, pets: Item[]): string[] {
  const sent = new Set(ledger.creations.map(({ name }) => name));
  const strangers = pets.flatMap(({ name }) =>
    sent.has(name?.S ?? '') ? [] : [`"${name?.S}" is stored but was never sent`],
  );
  return [...strangers, ...distinct('name', pets, ({ name }) => name?.S)];
}

function distinct(what: string, pets: Item[], read: (pet: Item) => string | undefined) {
  const groups = Map.groupBy(pets, read);
  return [...groups].flatMap(([value, { length }]) =>
    value === undefined || length > 1 ? [`the ${what} ${value} occurs ${length} times`] : [],
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
