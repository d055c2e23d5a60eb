import { type ApiKeyRecord, apiKeyDigest, apiKeyId, isLive } from '../../lib/apiKeys/apiKey.ts';
import { dynamoDb } from '../../lib/dynamodb/client.ts';
import { nowEpochSeconds } from '../../lib/nowEpochSeconds.ts';
import { relaxDatabaseTimeouts } from '../local/dynaliteWorkarounds.ts';
import { localStage } from '../local/localStage.ts';
import {
  type ApiKeyRegistry,
  expireApiKey,
  issueApiKey,
  issueSuccessor,
  listApiKeys,
  revokeApiKey,
} from './apiKeyRegistry.ts';
import { openStageTable } from './openStageTable.ts';
import {
  findCommand,
  print,
  required,
  runCommand,
  type Values,
  wholeNumber,
} from './runCommand.ts';

const usage = `Issues, lists, rotates and revokes the API keys of a stage.

  npm run keys -- create --stage <stage> --name <client> [--expires-in-days <days>]
  npm run keys -- list   --stage <stage>
  npm run keys -- rotate --stage <stage> --id <key id> [--grace-hours <hours>]
  npm run keys -- revoke --stage <stage> --id <key id>

  --stage            local, v1-staging or v1-production
  --name             the client that gets the key; a client can have several keys
  --id               the id of a key, as "list" shows it
  --expires-in-days  a whole number of days; without it the key does not expire
  --grace-hours      how long the old key stays valid beside the new one  (24)
  --data             the data folder of the local stage                   (${localStage.dataFolder})

A key is shown once, when it is created: only its digest is stored. The stages on AWS need your own
AWS credentials and Region.`;

const options = {
  stage: { type: 'string' },
  name: { type: 'string' },
  id: { type: 'string' },
  'expires-in-days': { type: 'string' },
  'grace-hours': { type: 'string', default: '24' },
  data: { type: 'string', default: localStage.dataFolder },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type Command = (registry: ApiKeyRegistry, values: Values<typeof options>) => Promise<void>;

const commands: Record<string, Command> = {
  async create(registry, { name, 'expires-in-days': days }) {
    const expiresAtEpochSeconds =
      days === undefined ? undefined : fromNow(wholeNumber('expires-in-days', days, 1) * 86_400);
    printNewKey(
      await issueApiKey(registry, { name: required('name', name), expiresAtEpochSeconds }),
    );
  },

  async list(registry) {
    const rows = (await listApiKeys(registry)).map((record) => [
      apiKeyId(record.digest),
      stateOf(record),
      minuteText(record.createdAtEpochSeconds),
      minuteText(record.expiresAtEpochSeconds),
      record.name,
    ]);
    for (const row of [['ID', 'STATE', 'CREATED', 'EXPIRES', 'NAME'], ...rows]) {
      const cells = row.map((cell, column) => cell.padEnd(columnWidths[column] ?? 0));
      print(cells.join('  ').trimEnd());
    }
  },

  async rotate(registry, values) {
    const oldId = required('id', values.id);
    const endOfGrace = fromNow(wholeNumber('grace-hours', values['grace-hours'], 0) * 3600);
    printNewKey(await issueSuccessor(registry, oldId));
    const expiresAt = await expireApiKey(registry, oldId, endOfGrace);
    print(`The old key ${oldId} expires at ${minuteText(expiresAt)}.`);
  },

  async revoke(registry, values) {
    const id = required('id', values.id);
    await revokeApiKey(registry, id);
    print(`Revoked ${id}. Running functions stop accepting it within 60 seconds.`);
  },
};

/** The widths of an id, `expired` and two times. */
const columnWidths = [16, 7, 17, 17];

if (import.meta.main) process.exitCode = await keys(process.argv.slice(2));

/** Runs `npm run keys` with these arguments. Returns the exit code. */
export function keys(args: string[]): Promise<number> {
  return runCommand({ usage, options, run }, args);
}

async function run(values: Values<typeof options>, positionals: string[]): Promise<boolean> {
  const command = findCommand(commands, positionals, usage);
  const stage = required('stage', values.stage);
  // A function's time-outs assume a database next to it. An operator may be on another continent.
  relaxDatabaseTimeouts(dynamoDb);
  const { tableName, close } = await openStageTable('apiKeys', stage, values.data);
  try {
    await command({ stage, tableName }, values);
    return true;
  } finally {
    await close();
  }
}

function printNewKey(apiKey: string): void {
  print(`API key  ${apiKey}
ID       ${apiKeyId(apiKeyDigest(apiKey))}
Keep the key now: it is not stored and will not be shown again.`);
}

function stateOf(record: ApiKeyRecord): string {
  if (isLive(record)) return 'live';
  return record.revokedAtEpochSeconds === undefined ? 'expired' : 'revoked';
}

/** A time in UTC, to the minute. */
function minuteText(epochSeconds: bigint | undefined): string {
  if (epochSeconds === undefined) return 'never';
  return `${new Date(Number(epochSeconds) * 1000).toISOString().slice(0, 16)}Z`;
}

function fromNow(seconds: number): bigint {
  return nowEpochSeconds() + BigInt(seconds);
}
