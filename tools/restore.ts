import { type AttributeValue, DynamoDB, paginateScan } from '@aws-sdk/client-dynamodb';
import { Option } from '@commander-js/extra-typings';
import { isInt64Text } from '../lib/int64.ts';
import { allTables, counterKey, tableName, tables } from '../lib/tables.ts';
import { defineCommand, print } from './command.ts';
import { throughProxy } from './throughProxy.ts';
import { parseStageName, useStage } from './useStage.ts';

type Item = Record<string, AttributeValue>;
type Table = { client: DynamoDB; TableName: string; keyName: string };

/** If all connections break at once, the SDK has retries for about 35 calls. */
const maxOpenCalls = 20;

export const restore = defineCommand(
  'restore',
  'Copies what a table lacks from one that AWS restored. Overwrites nothing. If it stops, run it again.',
)
  .requiredOption('--stage <stage>', 'the stage, such as v1-staging', parseStageName)
  .requiredOption('--from <table>', 'the name of the restored table')
  .addOption(
    new Option('--table <table>', 'the table that lacks items')
      .choices(allTables)
      .default('pets' as const),
  )
  .option('--dry-run', 'say what would be copied, and change nothing')
  .action(({ stage: stageName, from, table, dryRun: isDryRun = false }, command) =>
    useStage(stageName, async (stage) => {
      const live: Table = {
        client: new DynamoDB({ maxAttempts: 10, requestHandler: throughProxy }),
        TableName: tableName(stage.name, table),
        keyName: tables[table].partitionKey.name,
      };
      if (from === live.TableName) {
        command.error(`error: --from takes a restored table, and ${from} is the live one.`);
      }
      await copyMissingItems({ ...live, TableName: from }, live, isDryRun);
      if (table === 'apiKeys' && !isDryRun) {
        print('A copied key that was revoked later is valid again. Revoke it again.');
      }
    }),
  );

/** Copies the items that the live table lacks, and prints their keys. Only a page is in memory. */
async function copyMissingItems(restored: Table, live: Table, isDryRun: boolean): Promise<void> {
  const { client, TableName, keyName } = restored;
  let lastId = await readLastId(live);
  const restoredLastId = await readLastId(restored).catch((cause: Error) => {
    const message = `${TableName} cannot be read: ${cause.message}. If AWS still restores it, wait for it:
  aws dynamodb wait table-exists --table-name ${TableName}`;
    throw new Error(message, { cause });
  });

  async function reserveIds(highestId: bigint): Promise<void> {
    if (highestId <= lastId) return;
    lastId = highestId;
    if (!isDryRun) await raiseCounter(live, lastId);
    print(`The id counter ${isDryRun ? 'would be' : 'is'} at least ${lastId}.`);
  }

  // The counter comes first, so that no new item gets the id of a missing one.
  await reserveIds(restoredLastId);
  const outcome = isDryRun ? 'Missing' : 'Copied';
  let [compared, missing] = [0, 0];
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) {
    const items = Items.filter((item) => item[keyName]?.S !== counterKey);
    // They are higher than a counter that was set back before.
    for (const { id } of items) if (isInt64Text(id?.N)) await reserveIds(BigInt(id.N));
    for (let start = 0; start < items.length; start += maxOpenCalls) {
      const copies = items.slice(start, start + maxOpenCalls).map(async (item) => {
        if (!(await copyIfMissing(item, live, isDryRun))) return;
        missing += 1;
        print(`${outcome} ${item[keyName]?.S}`);
      });
      await Promise.all(copies);
    }
    compared += items.length;
    print(`Items compared: ${compared}. ${outcome}: ${missing}.`);
  }
}

/** Copies an item as it is. Returns false if the live table has its key. */
async function copyIfMissing(Item: Item, live: Table, isDryRun: boolean): Promise<boolean> {
  const { client, TableName, keyName } = live;
  const Key = { [keyName]: Item[keyName] as AttributeValue };
  // A put that is refused uses up as much of the table's ceiling as one that is not, so a read comes first.
  const { Item: found } = await client.getItem({ TableName, Key });
  if (found) return false;
  const ConditionExpression = `attribute_not_exists(${keyName})`;
  if (isDryRun) return true;
  const put = client.putItem({ TableName, Item, ConditionExpression });
  return put.then(() => true, ignoreRefusal);
}

/** Returns the id counter of a table, or 0 without one. Throws if it is no int64. */
async function readLastId({ client, TableName, keyName }: Table): Promise<bigint> {
  const Key = { [keyName]: { S: counterKey } };
  const { Item: counter } = await client.getItem({ TableName, Key, ConsistentRead: true });
  const lastId = counter?.lastId ?? { N: '0' };
  if (isInt64Text(lastId.N)) return BigInt(lastId.N);
  throw new Error(`The id counter of ${TableName} is no int64: ${JSON.stringify(lastId)}.
Set it to the highest id of all items, also of the lost ones. Then run this command again.
  aws dynamodb update-item --table-name ${TableName} --key '${JSON.stringify(Key)}' --update-expression 'SET lastId = :id' --expression-attribute-values '{":id":{"N":"…"}}'`);
}

/** Raises the id counter, unless it is as high by now. */
async function raiseCounter({ client, TableName, keyName }: Table, lastId: bigint): Promise<void> {
  const update = client.updateItem({
    TableName,
    Key: { [keyName]: { S: counterKey } },
    UpdateExpression: 'SET lastId = :lastId',
    ConditionExpression: 'attribute_not_exists(lastId) OR lastId < :lastId',
    ExpressionAttributeValues: { ':lastId': { N: String(lastId) } },
  });
  await update.catch(ignoreRefusal);
}

function ignoreRefusal(error: Error): false {
  if (error.name !== 'ConditionalCheckFailedException') throw error;
  return false;
}
