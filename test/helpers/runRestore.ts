import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { inject, vi } from 'vitest';
import { config } from '../../lib/config.ts';
import { tables } from '../../lib/tables.ts';
import { createTable } from '../../local/createTables.ts';
import { restore } from '../../tools/restore.ts';
import { runCommandHere } from './runCommandHere.ts';

// With its own endpoint, because the tests change the environment.
const client = new DynamoDBClient({ endpoint: inject('dynamoDbEndpoint') });

/** The table of the pets that the command restores items into. */
export const live = config().tableNames.pets;

/** The tables that the command restores. Each test fills them, as a restore does. */
export const [restored, restoredKeys] = [live, config().tableNames.apiKeys].map(
  (name) => `${name}-restored-20261120T160000Z`,
) as [string, string];
await createTable(client, restored, tables.pets);
await createTable(client, restoredKeys, tables.apiKeys);

type Input = Record<string, unknown>;

/** Handles an action of DynamoDB instead of the engine, unless it returns undefined. */
export type Handler = (input: Input) => Promise<object | undefined>;

/** Runs the command in the stage of this test file, with these actions of DynamoDB faked. */
export async function runRestore(handlers: Record<string, Handler> = {}, args: string[] = []) {
  const send: (command: never) => Promise<object> = DynamoDBClient.prototype.send;
  async function sendOrFake(this: DynamoDBClient, command: { input: Input }) {
    const action = command.constructor.name.replace(/Command$/, '');
    return (await handlers[action]?.(command.input)) ?? send.call(this, command as never);
  }
  const spy = vi.spyOn(DynamoDBClient.prototype, 'send').mockImplementation(sendOrFake as never);
  const stageAndTime = ['--stage', config().stage, '--at', '2026-11-20T16:00:00Z'];
  const result = await runCommandHere(restore, [...stageAndTime, ...args]);
  spy.mockRestore();
  return result;
}
