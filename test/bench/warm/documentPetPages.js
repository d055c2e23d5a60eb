import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { config } from '../../../lib/config.ts';
import { documentClient } from '../../../lib/dynamodb/client.ts';
import { stringifyExactJson } from '../../../lib/exactJson.ts';
import { decodeCursor, encodeCursor } from '../../../lib/pets/cursor.ts';
import { statusShardsOf } from '../../../lib/pets/petPages.ts';
import { Pet, petStatuses } from '../../../lib/schemas.ts';

export { statusShardsOf };

/** `readPetPage` without its lever: the document client, the schema of a pet, and a replacer. */
export async function readPetPage({ limit, status, cursor }) {
  const list = { stage: config.stage, status };
  const afterId = cursor === undefined ? 0n : decodeCursor(cursor, list);
  const pages = await Promise.all(
    statusShardsOf(status ? [status] : petStatuses).map((statusShard) =>
      documentClient().send(
        new QueryCommand({
          TableName: config.petsTableName,
          IndexName: 'byStatus',
          KeyConditionExpression: 'statusShard = :statusShard AND id > :afterId',
          ExpressionAttributeValues: { ':statusShard': statusShard, ':afterId': afterId },
          Limit: limit,
        }),
      ),
    ),
  );
  const found = pages.flatMap(({ Items }) => Items.map((item) => Pet.parse(item)));
  const pets = found.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
  const json = stringifyExactJson(pets);
  const hasMore = found.length > limit || pages.some((page) => page.LastEvaluatedKey);
  const lastPet = pets.at(-1);
  return hasMore && lastPet ? { json, nextCursor: encodeCursor(lastPet.id, list) } : { json };
}
