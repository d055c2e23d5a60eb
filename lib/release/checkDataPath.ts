import { setTimeout as wait } from 'node:timers/promises';
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { dynamoDbClient } from '../dynamodb/client.ts';
import { releaseCheckPartition } from '../dynamodb/tables.ts';
import { stringifyExactJson } from '../exactJson.ts';
import type { RawEvent } from '../http/event.ts';
import { basePath, type OperationName } from '../operations.ts';
import { petItem, petKey } from '../pets/petStore.ts';
import { Pet, Pets } from '../schemas.ts';

const TableName = config.petsTableName;

/** The index follows the table within a second, as a rule. */
const listAgainAfterMs = 500;

/** Sends a request to the new version. Returns the body, or throws for any other status. */
export type Send = (
  request: Pick<RawEvent, 'httpMethod' | 'path' | 'pathParameters' | 'headers' | 'body'>,
  status: number,
) => Promise<unknown>;

/**
 * A check for each function: real requests, to the real tables, in the partition of the release check.
 *
 * Each one needs every permission of its operation, so that a missing one is found before a client needs
 * it. All pets are removed again. Throws if the version is at fault.
 */
export const dataPathChecks: Record<OperationName | 'fallback', (send: Send) => Promise<void>> = {
  async listPets(send) {
    await withPet(async (pet) => {
      const listed = async () => {
        const body = await send({ httpMethod: 'GET', path: `${basePath}/pets` }, 200);
        return Pets.parse(body).some((each) => isEqual(each, pet));
      };
      // `send` throws when the time is up.
      while (!(await listed())) await wait(listAgainAfterMs);
    });
  },

  async createPet(send) {
    const body = newPet();
    const request = {
      httpMethod: 'POST',
      path: `${basePath}/pets`,
      headers: { 'Idempotency-Key': crypto.randomUUID() },
      body: stringifyExactJson(body),
    };
    const create = async () => Pet.parse(await send(request, 201));
    const first = await create();
    try {
      // As if another pet had taken the id, which happens after a restore. The retry then reads the pet,
      // takes another id and changes the record of the key.
      await writePet(first);
      const second = await create();
      const isStored = await removePet(second.id);
      if (second.id === first.id || !isStored || !isEqual(second, { ...body, id: second.id })) {
        throw new Error(
          `The version did not store the pet in ${TableName}, or not as sent: ${stringifyExactJson(second)}`,
        );
      }
    } finally {
      await removePet(first.id);
    }
  },

  async getPet(send) {
    await withPet(async (pet) => {
      const petId = String(pet.id);
      const request = {
        httpMethod: 'GET',
        path: `${basePath}/pets/${petId}`,
        pathParameters: { petId },
      };
      const read = Pet.parse(await send(request, 200));
      if (!isEqual(read, pet)) {
        throw new Error(`The version returned another pet: ${stringifyExactJson(read)}`);
      }
    });
  },

  async fallback(send) {
    await send({ httpMethod: 'GET', path: `${basePath}/unknown` }, 404);
  },
};

/** A name of its own tells the pet from one that an earlier check could not remove. */
function newPet() {
  return { name: `release check ${crypto.randomUUID()}`, categoryId: 1n, status: 'sold' } as const;
}

/** Stores a pet of the release check for as long as `check` runs. */
async function withPet(check: (pet: Pet) => Promise<void>): Promise<void> {
  const pet = { id: 1n, ...newPet() };
  await writePet(pet);
  try {
    await check(pet);
  } finally {
    await removePet(pet.id);
  }
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
