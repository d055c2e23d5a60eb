import { setTimeout as wait } from 'node:timers/promises';
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { dynamoDbClient } from '../dynamodb/client.ts';
import { releaseCheckPartition } from '../dynamodb/tables.ts';
import { parseExactJson, stringifyExactJson } from '../exactJson.ts';
import type { RawEvent } from '../http/event.ts';
import { basePath, type Operation, operations } from '../operations.ts';
import { petItem, petKey } from '../pets/petStore.ts';
import { NewPet, Pet, Pets } from '../schemas.ts';

const TableName = config.petsTableName;

/** The index follows the table within a second, as a rule. */
const listAgainAfterMs = 500;

/** Sends a request to the new version. Returns the body, or throws for any other status. */
type Send = (
  request: Pick<RawEvent, 'httpMethod' | 'path' | 'pathParameters' | 'headers' | 'body'>,
  status: number,
) => Promise<unknown>;

/**
 * Returns the check of a function: real requests, to the real tables, in the partition of the release check.
 *
 * It follows from the row of the operation and needs each of its permissions, so that a missing one is
 * found before a client needs it. It removes all its pets. It throws if the version is at fault.
 */
export function dataPathCheckOf(name = ''): (send: Send) => Promise<void> {
  if (name === 'fallback') return checkFallback;
  const operation: Operation | undefined = operations[name as keyof typeof operations];
  if (!operation) throw new Error('VERSION_OF in the environment names no function.');
  const { access } = operation;
  const isCreation = access.some(({ table, action }) => table === 'pets' && action === 'PutItem');
  return (send) => (isCreation ? checkCreation : checkReading)(operation, send);
}

async function checkFallback(send: Send): Promise<void> {
  await send({ httpMethod: 'GET', path: `${basePath}/unknown` }, 404);
}

/** Stores a pet, reads, and looks for the pet in the response if the operation returns pets. */
async function checkReading(operation: Operation, send: Send): Promise<void> {
  // A name of its own tells the pet from one that an earlier check could not remove.
  const name = `release check ${crypto.randomUUID()}`;
  const pet = { id: 1n, name, categoryId: 1n, status: 'sold' } as const;
  const request = requestOf(operation);
  const read = () => send(request, operation.successStatus);
  await writePet(pet);
  try {
    if (operation.output === Pets) {
      const isListed = async () => Pets.parse(await read()).some((each) => isEqual(each, pet));
      // `send` throws when the time is up.
      while (!(await isListed())) await wait(listAgainAfterMs);
    } else {
      const body = await read();
      if (operation.output === Pet && !isEqual(Pet.parse(body), pet)) {
        throw new Error(`The version returned another pet: ${stringifyExactJson(body)}`);
      }
    }
  } finally {
    await removePet(pet.id);
  }
}

/** Sends the same request again, after another pet took the id. */
async function checkCreation(operation: Operation, send: Send): Promise<void> {
  const request = requestOf(operation);
  const create = async () => Pet.parse(await send(request, operation.successStatus));
  const first = await create();
  try {
    // As after a restore. The second request then reads the pet, takes another id and changes the
    // record of the Idempotency-Key.
    await writePet(first);
    const second = await create();
    const isStored = await removePet(second.id);
    const sent = { ...NewPet.parse(parseExactJson(request.body)), id: second.id };
    if (second.id === first.id || !isStored || !isEqual(second, sent)) {
      throw new Error(
        `The version did not store the pet in ${TableName}, or not as sent: ${stringifyExactJson(second)}`,
      );
    }
  } finally {
    await removePet(first.id);
  }
}

/** Operations ignore the headers and the body that they do not read. */
function requestOf({ method, path, releaseCheck = {} }: Operation) {
  const { pathParameters = {}, body = {} } = releaseCheck;
  return {
    httpMethod: method,
    path: `${basePath}${path.replaceAll(/\{(\w+)\}/g, (_, name) => `${pathParameters[name]}`)}`,
    pathParameters,
    headers: { 'Idempotency-Key': crypto.randomUUID() },
    body: JSON.stringify(body),
  };
}

async function writePet(pet: Pet): Promise<void> {
  const Item = petItem(pet, crypto.randomUUID(), releaseCheckPartition);
  await dynamoDbClient.send(new PutItemCommand({ TableName, Item }));
}

/** Returns whether the pet was stored. */
async function removePet(id: bigint): Promise<boolean> {
  const Key = { pk: { S: petKey(id, releaseCheckPartition) } };
  const { Attributes } = await dynamoDbClient.send(
    new DeleteItemCommand({ TableName, Key, ReturnValues: 'ALL_OLD' }),
  );
  return Attributes !== undefined;
}

function isEqual(a: Pet, b: Pet): boolean {
  return (
    a.id === b.id && a.name === b.name && a.categoryId === b.categoryId && a.status === b.status
  );
}
