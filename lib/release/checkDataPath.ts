import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { dynamoDbClient, readItem } from '../dynamodb/client.ts';
import { releaseCheckPrefix } from '../dynamodb/tables.ts';
import { parseExactJson, stringifyExactJson } from '../exactJson.ts';
import type { RawEvent } from '../http/event.ts';
import { basePath, type Operation, operations } from '../operations.ts';
import { petItem, petKey } from '../pets/petStore.ts';
import { NewPet, Pet, Pets } from '../schemas.ts';

const TableName = config.petsTableName;

/** The index usually follows the table within a second. */
const listAgainAfterMs = 500;

/** Sends a request to the new version. Returns the body, or throws for any other status. */
type Send = (
  request: Pick<RawEvent, 'httpMethod' | 'path' | 'pathParameters' | 'headers' | 'body'>,
  status: number,
) => Promise<unknown>;

/**
 * Returns the check of a function: real requests to the real tables, on pets that no client sees.
 *
 * The check uses each permission of the operation, so a missing one fails here. It removes its pets, and
 * throws if the version does not pass.
 */
export function dataPathCheckOf(name = ''): (send: Send) => Promise<void> {
  if (name === 'fallback') return checkFallback;
  const operation: Operation | undefined = operations[name as keyof typeof operations];
  if (!operation) throw new Error('VERIFIED_FUNCTION in the environment names no function.');
  const { access } = operation;
  const isCreation = access.some(({ table, action }) => table === 'pets' && action === 'PutItem');
  return (send) => (isCreation ? checkCreation : checkReading)(operation, send);
}

async function checkFallback(send: Send): Promise<void> {
  await send({ httpMethod: 'GET', path: `${basePath}/unknown` }, 404);
}

/** Stores a pet, reads, and looks for the pet in the response if the operation returns pets. */
async function checkReading(operation: Operation, send: Send): Promise<void> {
  // The name is unique: an earlier check may have left a pet with the same id.
  const name = `release check ${crypto.randomUUID()}`;
  const pet: Required<Pet> = { id: 1n, name, categoryId: 1n, status: 'sold' };
  const request = requestOf(operation);
  const read = () => send(request, operation.successStatus);
  await writePet(pet);
  try {
    if (operation.output === Pets) {
      const isListed = async () =>
        Pets.parse(await read()).some((each) => isDeepStrictEqual(each, pet));
      // `send` throws when the time is up.
      while (!(await isListed())) await wait(listAgainAfterMs);
    } else {
      const body = await read();
      if (operation.output === Pet && !isDeepStrictEqual(Pet.parse(body), pet)) {
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
    const stored = await removePet(second.id);
    const sent = { ...NewPet.parse(parseExactJson(request.body)), id: second.id };
    const isAsSent = isDeepStrictEqual(second, sent) && isDeepStrictEqual(stored, sent);
    if (second.id === first.id || !isAsSent) {
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
  const Item = petItem(pet, crypto.randomUUID(), releaseCheckPrefix);
  await dynamoDbClient.send(new PutItemCommand({ TableName, Item }));
}

/** Returns the pet as it was stored. It is `undefined` if it was not, or damaged. */
async function removePet(id: bigint): Promise<Pet | undefined> {
  const Key = { pk: { S: petKey(id, releaseCheckPrefix) } };
  const { Attributes } = await dynamoDbClient.send(
    new DeleteItemCommand({ TableName, Key, ReturnValues: 'ALL_OLD' }),
  );
  return Pet.safeParse(Attributes && readItem(Attributes)).data;
}
