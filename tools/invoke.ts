import { readFile } from 'node:fs/promises';
import { Argument } from '@commander-js/extra-typings';
import type { RawEvent } from '../lib/http/event.ts';
import { parseExactJson, stringifyExactJson } from '../lib/int64.ts';
import { setLogOutput } from '../lib/logging.ts';
import { basePath, type OperationName, operationEntries, operations } from '../lib/operations.ts';
import { gatewayLog } from '../local/gatewayLog.ts';
import { loadFunctions } from '../local/localGateway.ts';
import { localStage } from '../local/localStage.ts';
import { openLocalService } from '../local/openLocalService.ts';
import { defineCommand, parseFolder, print, runCommand } from './command.ts';

/** An event by hand, whose body may be the JSON value itself. */
type EventByHand = Omit<RawEvent, 'body'> & { body?: unknown };

export const invoke = defineCommand('invoke', 'Calls the handler of an operation once.')
  .addArgument(new Argument('<operation>').choices(operationEntries.map(([name]) => name)))
  .argument('[event]', 'parts of a Lambda proxy event: body, pathParameters, headers, …', '{}')
  .option('--event <file>', 'read the event from a file')
  .option(
    '--data <folder>',
    'the data folder, which npm start may have open',
    parseFolder,
    localStage.dataFolder,
  )
  .addHelpText(
    'after',
    `
Method, path, an API key and the media type are added if the event lacks them. The response is printed as JSON:

  npm run invoke -- createPet '{"body": {"name": "Rex", "categoryId": 7}}'
  npm run invoke -- getPet '{"pathParameters": {"petId": "1"}}'`,
  )
  .action(async (name, text, { event: file, data }) => {
    const source = file === undefined ? text : await readFile(file, 'utf8');
    const event = readEvent(source);
    const service = await openLocalService({ folder: data, isShared: true });
    try {
      setLogOutput(gatewayLog(process.stderr));
      const functions = await loadFunctions();
      const response = await functions[name](completeEvent(name, event, service.headers));
      print(JSON.stringify(response, null, 2));
    } finally {
      await service.stop();
    }
  });

function readEvent(text: string): EventByHand {
  try {
    const event = parseExactJson(text);
    if (typeof event === 'object' && event !== null) return event;
  } catch {}
  return invoke.error(`error: the event is not a JSON object: ${text}`);
}

function completeEvent(
  name: OperationName,
  { body, ...event }: EventByHand,
  headers: Record<string, string>,
): RawEvent {
  const { method, path } = operations[name];
  const isText = body === undefined || body === null || typeof body === 'string';
  return {
    httpMethod: method,
    path: `${basePath}${path}`.replaceAll(/\{(\w+)\}/g, (segment, parameter) =>
      String(event.pathParameters?.[parameter] ?? segment),
    ),
    ...event,
    headers: { ...headers, ...event.headers },
    body: isText ? body : stringifyExactJson(body),
  };
}

if (import.meta.main) await runCommand(invoke);
