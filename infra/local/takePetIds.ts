import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { config } from '../../lib/config.ts';
import { dynamoDb } from '../../lib/dynamodb/client.ts';
import { advanceCounter } from '../../lib/pets/petIds.ts';
import { statusShardsOf } from '../../lib/pets/petPages.ts';
import { petStatuses } from '../../lib/schemas.ts';

export type PetIdRange = { firstId: bigint; lastId: bigint };

/**
 * Takes ids from the counter that no pet has.
 *
 * A batch cannot be written on a condition, so what `addPet` finds out by writing has to be asked
 * before: whether the counter was set back behind the pets by a restore.
 */
export async function takePetIds(count: bigint): Promise<PetIdRange> {
  const highestId = await findHighestId();
  let lastId = await advanceCounter(count);
  const lag = highestId - (lastId - count);
  if (lag > 0n) lastId = await advanceCounter(lag + count);
  return { firstId: lastId - count + 1n, lastId };
}

async function findHighestId(): Promise<bigint> {
  const pages = statusShardsOf(petStatuses).map((statusShard) =>
    dynamoDb.send(
      new QueryCommand({
        TableName: config.petsTableName,
        IndexName: 'byStatus',
        KeyConditionExpression: 'statusShard = :statusShard',
        ExpressionAttributeValues: { ':statusShard': statusShard },
        ScanIndexForward: false,
        Limit: 1,
      }),
    ),
  );
  const ids = (await Promise.all(pages)).flatMap(({ Items = [] }) => Items.map(({ id }) => id));
  return ids.reduce((highest: bigint, id: bigint) => (id > highest ? id : highest), 0n);
}
