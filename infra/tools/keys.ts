import { type ApiKeyRecord, apiKeyDigest, apiKeyId, isLive } from '../../lib/apiKeys/apiKey.ts';
import { nowEpochSeconds } from '../../lib/nowEpochSeconds.ts';
import { localStage } from '../local/localStage.ts';
import {
  type ApiKeyRegistry,
  endApiKey,
  issueApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from './apiKeyRegistry.ts';
import { openApiKeyRegistry } from './openApiKeyRegistry.ts';
import { runCommand } from './runCommand.ts';

const usage = `Issues, lists, rotates and revokes the API keys of a stage.

  npm run keys -- create --stage <stage> --name <client> [--expires-in-days <days>]
  npm run keys -- list   --stage <stage>
  npm run keys -- rotate --stage <stage> --id <key id> [--grace-hours <hours>]
  npm run keys -- revoke --stage <stage> --id <key id>

  --stage            local, v1-staging or v1-production
  --name             whom the key is for; a client may hold several
  --expires-in-days  a whole number of days; without it the key has no end
  --grace-hours      how long the old key lives beside the new one    (24)
  --data             the data folder of the local stage               (${localStage.dataFolder})

A key is shown once, when it is made: only its digest is stored. The stages on AWS are reached with
your own AWS credentials and Region.`;

const options = {
  stage: { type: 'string' },
  name: { type: 'string' },
  id: { type: 'string' },
  'expires-in-days': { type: 'string' },
  'grace-hours': { type: 'string', default: '24' },
  data: { type: 'string', default: localStage.dataFolder },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type Values = { [Name in keyof typeof options]?: string | boolean };

const commands: Record<string, (registry: ApiKeyRegistry, values: Values) => Promise<void>> = {
  async create(registry, values) {
    const lifetimeDays = wholeNumber(values, 'expires-in-days', 1n);
    const apiKey = await issueApiKey(registry, {
      name: text(values, 'name'),
      ...(lifetimeDays !== undefined && {
        expiresAtEpochSeconds: nowEpochSeconds() + lifetimeDays * 86_400n,
      }),
    });
    printNewKey(apiKey);
  },

  async list(registry) {
    const records = await listApiKeys(registry);
    const rows = records.map((record) => [
      apiKeyId(record.digest),
      state(record),
      date(record.createdAtEpochSeconds),
      date(record.expiresAtEpochSeconds),
      record.name,
    ]);
    for (const row of [['ID', 'STATE', 'CREATED', 'EXPIRES', 'NAME'], ...rows]) {
      print(
        row
          .map((cell, column) => cell.padEnd(columnWidths[column] ?? 0))
          .join('  ')
          .trimEnd(),
      );
    }
  },

  async rotate(registry, values) {
    const graceHours = wholeNumber(values, 'grace-hours', 0n) ?? 0n;
    const endsAtEpochSeconds = nowEpochSeconds() + graceHours * 3600n;
    const id = text(values, 'id');
    printNewKey(await rotateApiKey(registry, id));
    const endsAt = await endApiKey(registry, { id, endsAtEpochSeconds });
    print(`The old key ${id} ends at ${date(endsAt)}.`);
  },

  async revoke(registry, values) {
    const id = text(values, 'id');
    await revokeApiKey(registry, id);
    print(`Revoked ${id}. Running functions forget it within 60 seconds.`);
  },
};

/** `key_` and 12 digits, `expired`, two dates of ISO 8601 in minutes. */
const columnWidths = [16, 7, 17, 17];

if (import.meta.main) process.exitCode = await keys(process.argv.slice(2));

/** Runs the command that the arguments name, and returns the exit code. */
export function keys(args: string[]): Promise<number> {
  return runCommand({ usage, options, commands, run }, args);
}

async function run(command: (typeof commands)[string], values: Values): Promise<boolean> {
  const registry = await openApiKeyRegistry(text(values, 'stage'), text(values, 'data'));
  try {
    await command(registry, values);
    return true;
  } finally {
    await registry.close();
  }
}

function printNewKey(apiKey: string): void {
  print(`API key  ${apiKey}
ID       ${apiKeyId(apiKeyDigest(apiKey))}
Keep the key now: it is not stored and will not be shown again.`);
}

function state(record: ApiKeyRecord): string {
  if (isLive(record)) return 'live';
  return record.revokedAtEpochSeconds === undefined ? 'expired' : 'revoked';
}

function date(epochSeconds: bigint | undefined): string {
  if (epochSeconds === undefined) return 'never';
  return `${new Date(Number(epochSeconds) * 1000).toISOString().slice(0, 16)}Z`;
}

function text(values: Values, name: keyof Values): string {
  const value = values[name];
  if (typeof value !== 'string' || value.trim() === '') throw new Error(`--${name} is missing.`);
  return value;
}

function wholeNumber(values: Values, name: keyof Values, least: bigint): bigint | undefined {
  if (values[name] === undefined) return undefined;
  const value = text(values, name);
  if (!/^\d{1,5}$/.test(value) || BigInt(value) < least) {
    throw new Error(`--${name} takes a whole number from ${least} to 99999.`);
  }
  return BigInt(value);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
