import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import {
  type ApiKeyRecord,
  apiKeyDigest,
  apiKeyId,
  createApiKey,
  isApiKeyOf,
  isApiKeyValid,
} from '../lib/apiKeys/apiKey.ts';
import { tableName } from '../lib/tables.ts';
import { createTables } from '../local/createTables.ts';
import { databaseFolder } from '../local/databaseFolder.ts';
import { openLocalDatabase } from '../local/localDatabase.ts';
import { localStage } from '../local/localStage.ts';
import { type ApiKeyRegistry, listApiKeys, revokeApiKey, storeApiKey } from './apiKeyRegistry.ts';
import { defineCommand, parseFolder, parseWholeNumber, print } from './command.ts';
import { parseStageName, useStage } from './useStage.ts';

/** A name that keeps a row of the list readable: no control characters and no line ends, but the joiners of texts. */
const printableName = /^[\P{C}\u200C\u200D]{1,64}$/u;

/** The widths of an id, `expired`, `PERMISSIONS` and two times. */
const columnWidths = [16, 7, 11, 17, 17];

export const keys = defineCommand(
  'keys',
  'Issues, lists and revokes the API keys of a stage.',
).addHelpText(
  'after',
  `
A key is shown once, when it is created, because only its digest is stored. For a stage on AWS, set your
own AWS credentials and Region.

To replace a key, create a second one, with --read-only again if the first has it. Revoke the first when its
client has changed, and a stolen key at once.`,
);

addStageCommand('create', 'issues a key')
  .requiredOption('--name <client>', 'the client of the key; it can have several', clientName)
  .option(
    '--expires-in-days <days>',
    'without it the key does not expire',
    parseWholeNumber(1, 99_999),
  )
  .option('--read-only', 'the key may use GET and HEAD only')
  .action(({ stage, data, name, expiresInDays: days, readOnly }) =>
    withRegistry(stage, data, async (registry) => {
      const lifetimeSeconds = days === undefined ? undefined : BigInt(days * 86_400);
      // A stage that is not deployed must fail before it shows a key.
      await listApiKeys(registry);
      const apiKey = createApiKey(stage);
      const id = apiKeyId(apiKeyDigest(apiKey));
      // It is shown before it is stored, so every valid key was shown.
      print(`API key  ${apiKey}\nID       ${id}`);
      const options = { name, lifetimeSeconds, readOnly };
      const record = await storeApiKey(registry, apiKey, options).catch((cause) => {
        const hint = `The key works only if "list" shows ${id}.`;
        throw new Error(`${cause.message}\n${hint}`, { cause });
      });
      print(`Expires  ${minuteText(record.expiresAtEpochSeconds)}
Keep the key now: it is not stored and will not be shown again.`);
    }),
  );

addStageCommand(
  'list',
  'lists all keys; a stage on AWS keeps revoked and expired ones for 90 days',
).action(({ stage, data }) =>
  withRegistry(stage, data, async (registry) => {
    const rows = (await listApiKeys(registry)).map((record) => [
      apiKeyId(record.digest),
      stateOf(record),
      record.readOnly ? 'read' : 'all',
      minuteText(record.createdAtEpochSeconds),
      minuteText(record.expiresAtEpochSeconds),
      record.name,
    ]);
    for (const row of [['ID', 'STATE', 'PERMISSIONS', 'CREATED', 'EXPIRES', 'NAME'], ...rows]) {
      const cells = row.map((cell, column) => cell.padEnd(columnWidths[column] ?? 0));
      print(cells.join('  ').trimEnd());
    }
  }),
);

addStageCommand('revoke', 'revokes a key')
  .requiredOption('--id <key id>', 'the id of the key, as "list" shows it')
  .action(({ stage, data, id }) =>
    withRegistry(stage, data, async (registry) => {
      await revokeApiKey(registry, id);
      // They cache a valid key.
      print(`Revoked ${id}. Running functions stop accepting it within 60 seconds.`);
    }),
  );

keys
  .command('id')
  .description(
    'prints the id of a key that you have, which it reads from a line of the standard input',
  )
  .action(async () => {
    // An argument would stay in the history of the shell.
    for await (const line of createInterface({ input: process.stdin })) {
      const apiKey = line.trim();
      const [, stage = ''] = /^ps_(\w+)_/.exec(apiKey) ?? [];
      if (!isApiKeyOf(stage, apiKey)) break;
      return print(apiKeyId(apiKeyDigest(apiKey)));
    }
    throw new Error('This is no whole API key.');
  });

/** Adds a subcommand with the options that `withRegistry` needs. */
function addStageCommand(name: string, description: string) {
  return keys
    .command(name)
    .description(description)
    .requiredOption('--stage <stage>', 'local, or a stage such as v1-staging', parseStage)
    .option(
      '--data <folder>',
      'the data folder of the local stage',
      parseFolder,
      localStage.dataFolder,
    );
}

/**
 * Runs an action with the keys of a stage. Throws if the stage cannot exist or is not deployed.
 *
 * The local stage is found by its data folder, whether or not `npm start` is running.
 */
async function withRegistry(
  stage: string,
  folder: string,
  run: (registry: ApiKeyRegistry) => Promise<void>,
): Promise<void> {
  if (stage !== localStage.name) {
    return useStage(stage, () => run({ stage, tableName: tableName(stage, 'apiKeys') }));
  }
  if (!existsSync(databaseFolder(folder))) {
    throw new Error(
      `There is no data in ${folder}. Name the folder of the service with --data, or run npm start first.`,
    );
  }
  const { stop } = await openLocalDatabase(folder, { isShared: true });
  try {
    await createTables(localStage.tableNames);
    await run({ stage, tableName: localStage.tableNames.apiKeys });
  } finally {
    await stop();
  }
}

function parseStage(text: string): string {
  if (text === localStage.name) return text;
  try {
    return parseStageName(text);
  } catch (error) {
    const { message } = error as Error;
    throw new InvalidArgumentError(`${message} The stage of npm start is ${localStage.name}.`);
  }
}

function clientName(text: string): string {
  if (printableName.test(text)) return text;
  throw new InvalidArgumentError('It takes 1 to 64 printable characters.');
}

function stateOf(record: ApiKeyRecord): string {
  if (isApiKeyValid(record)) return 'valid';
  return record.revokedAtEpochSeconds === undefined ? 'expired' : 'revoked';
}

/** A time in UTC, to the minute. A damaged record may have one that no `Date` holds. */
function minuteText(epochSeconds: bigint | undefined): string {
  if (epochSeconds === undefined) return 'never';
  const date = new Date(Number(epochSeconds) * 1000);
  return Number.isNaN(date.getTime()) ? 'damaged' : `${date.toISOString().slice(0, 16)}Z`;
}
