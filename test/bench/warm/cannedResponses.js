import { createHash } from 'node:crypto';

/** Returns the response to each action of DynamoDB, as JSON: one API key, and 100 pets. */
export function cannedResponses(apiKey) {
  const digest = createHash('sha256').update(apiKey).digest('hex');
  const pets = Array.from({ length: 100 }, (_, index) => ({
    pk: { S: `PET#${index + 1}` },
    statusShard: { S: 'available#0' },
    token: { S: '8e03978e-40d5-43dd-bc93-6894a57f9324' },
    id: { N: String(index + 1) },
    name: { S: `Zoë von Fluff ${index + 1}` },
    categoryId: { N: '9007199254740993' },
    status: { S: 'available' },
  }));
  const responses = {
    GetItem: {
      Item: { digest: { S: digest }, name: { S: 'bench' }, createdAtEpochSeconds: { N: '1' } },
    },
    PutItem: {},
    UpdateItem: { Attributes: { lastId: { N: '1000' } } },
    Query: { Items: pets, Count: 100, ScannedCount: 100, LastEvaluatedKey: lastKey(pets.at(-1)) },
  };
  return Object.fromEntries(
    Object.entries(responses).map(([action, response]) => [
      action,
      Buffer.from(JSON.stringify(response)),
    ]),
  );
}

function lastKey({ pk, statusShard, id }) {
  return { pk, statusShard, id };
}
