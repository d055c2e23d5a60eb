import { createReadStream, existsSync } from 'node:fs';
import { text as readText } from 'node:stream/consumers';
import { Argument, InvalidArgumentError } from '@commander-js/extra-typings';
import type { RawEvent } from '../lib/http/event.ts';
import { setLogOutput } from '../lib/logging.ts';
import { operationEntries } from '../lib/operations.ts';
import { gatewayLog } from '../local/gatewayLog.ts';
import { loadFunctions } from '../local/localGateway.ts';
import { localStage } from '../local/localStage.ts';
import { openLocalService } from '../local/openLocalService.ts';
import { defineCommand, print } from './command.ts';

export const invoke = defineCommand('invoke', 'Calls the handler of an operation once.')
  .addArgument(new Argument('<operation>').choices(operationEntries.map(([name]) => name)))
  .argument('[event]', 'parts of a Lambda proxy event: body, pathParameters, headers, …', '{}')
  .option('--event <file>', 'read the event from a file, or with - from the standard input')
  .option(
    '--data <folder>',
    'the data folder, which npm start may have open',
    existingFolder,
    localStage.dataFolder,
  )
  .addHelpText(
    'after',
    `
The handler gets the event as it is given, with an API key if it has none, and with the JSON text of a body
that is no text. The response is printed as JSON:

  npm run invoke -- createPet '{"body": {"name": "Rex", "categoryId": 7}}'
  npm run invoke -- getPet '{"pathParameters": {"petId": "1"}}'
  npm run invoke -- listPets '{"queryStringParameters": {"limit": "5"}}'`,
  )
  .action(async (name, argument, { event: file, data }) => {
    const input = file === '-' ? process.stdin : file && createReadStream(file);
    const text = input ? await readText(input) : argument;
    const { headers, stop } = await openLocalService({ folder: data });
    try {
      setLogOutput(gatewayLog(process.stderr));
      const { [name]: handler } = await loadFunctions();
      print(JSON.stringify(await handler(readEvent(text, headers)), null, 2));
    } finally {
      await stop();
    }
  });

/** A mistyped folder is not created. */
function existingFolder(path: string): string {
  if (existsSync(path)) return path;
  throw new InvalidArgumentError('There is no such folder. npm start creates one.');
}

/** Reads an event, adds the key unless it has an Authorization, and makes a text of its body. */
function readEvent(text: string, key: Record<string, string>): RawEvent {
  try {
    const event: RawEvent = JSON.parse(text);
    // The text of the body keeps each number as it is written.
    const { body } = JSON.parse(text, (_name, value, { source }) =>
      typeof value === 'number' ? JSON.rawJSON(source) : value,
    ) as { body?: unknown };
    const headerNames = Object.keys({ ...event.headers, ...event.multiValueHeaders });
    const hasKey = headerNames.some((name) => name.toLowerCase() === 'authorization');
    return {
      ...event,
      headers: { ...event.headers, ...(!hasKey && key) },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    };
  } catch (error) {
    return invoke.error(`error: the event cannot be read: ${(error as Error).message}`);
  }
}
