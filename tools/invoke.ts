import { createReadStream, existsSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { Argument, InvalidArgumentError } from '@commander-js/extra-typings';
import * as z from 'zod';
import type { RawEvent } from '../lib/http/event.ts';
import { findRoute } from '../lib/http/routes.ts';
import { parseExactJson, stringifyExactJson } from '../lib/int64.ts';
import { setLogOutput } from '../lib/logging.ts';
import { basePath, type OperationName, operationEntries, operations } from '../lib/operations.ts';
import { gatewayLog } from '../local/gatewayLog.ts';
import { loadFunctions } from '../local/localGateway.ts';
import { localStage } from '../local/localStage.ts';
import { openLocalService } from '../local/openLocalService.ts';
import { targetParts } from '../local/proxyEvent.ts';
import { defineCommand, print, runCommand } from './command.ts';

const Value = z.union([z.string(), z.number(), z.bigint(), z.boolean()]);
const Values = z.record(z.string(), z.union([Value, z.array(Value)]).nullish()).nullish();

/** Parts of the proxy event of a REST API. The body may be the JSON value itself. */
const EventByHand = z.strictObject({
  body: z.unknown().optional(),
  headers: Values,
  httpMethod: z.string().optional(),
  isBase64Encoded: z.boolean().nullish(),
  multiValueHeaders: Values,
  multiValueQueryStringParameters: Values,
  path: z.string().optional(),
  pathParameters: Values,
  queryStringParameters: Values,
  requestContext: z.record(z.string(), z.unknown()).nullish(),
  resource: z.string().optional(),
  stageVariables: Values,
});
type EventByHand = z.infer<typeof EventByHand>;

export const invoke = defineCommand('invoke', 'Calls the handler of an operation once.')
  .addArgument(new Argument('<operation>').choices(operationEntries.map(([name]) => name)))
  .argument('[event]', 'parts of a Lambda proxy event: body, pathParameters, headers, …', '{}')
  .option('--event <file>', 'read the event from a file, or with - from the standard input')
  .option(
    '--data <folder>',
    'an existing data folder, which npm start may have open',
    existingFolder,
    localStage.dataFolder,
  )
  .addHelpText(
    'after',
    `
Method, path, an API key and the media type are added if the event lacks them. The response is printed as JSON:

  npm run invoke -- createPet '{"body": {"name": "Rex", "categoryId": 7}}'
  npm run invoke -- getPet '{"pathParameters": {"petId": 1}}'
  npm run invoke -- listPets '{"path": "/v1/pets?limit=5"}'`,
  )
  .action(async (name, text, { event: file, data }) => {
    const event = parseEvent(file === undefined ? text : await readText(file), file);
    const request = completeEvent(name, event);
    const { headers, stop } = await openLocalService({ folder: data });
    try {
      setLogOutput(gatewayLog(process.stderr));
      const functions = await loadFunctions();
      const response = await functions[name](addHeaders(request, headers));
      print(JSON.stringify(response, null, 2));
    } finally {
      await stop();
    }
  });

/** A mistyped folder is not created. */
function existingFolder(path: string): string {
  if (existsSync(path)) return path;
  throw new InvalidArgumentError('There is no such folder. npm start creates one.');
}

/** Reads a file with or without a byte order mark. PowerShell writes UTF-16 with one. */
async function readText(file: string): Promise<string> {
  const bytes = await buffer(file === '-' ? process.stdin : createReadStream(file));
  return new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-8').decode(bytes);
}

function parseEvent(text: string, file: string | undefined): EventByHand {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    // A shell may have changed the quotes of an argument. A file may be long.
    const { message } = error as Error;
    return invoke.error(`error: ${file ?? text} is not JSON: ${message}`);
  }
  const { data: event, error } = EventByHand.safeParse(value);
  if (event) return event;
  const faults = error.issues.map(({ path, message }) => [...path, message].join(': '));
  const parts = Object.keys(EventByHand.shape).join(', ');
  return invoke.error(
    `error: the event is not valid: ${faults.join('; ')}. Its parts are ${parts}.`,
  );
}

/** Adds what follows from the operation and the path. Rejects a request that is one of another operation. */
function completeEvent(
  name: OperationName,
  { body, path: target, ...given }: EventByHand,
): RawEvent {
  const { method, path: template } = operations[name];
  const { httpMethod = method, pathParameters } = given;
  const ownTarget = `${basePath}${template}`.replaceAll(/\{(\w+)\}/g, (_segment, parameter) =>
    encodeURIComponent(String(pathParameters?.[parameter] ?? '')),
  );
  const parts = targetParts(target ?? ownTarget);
  if (findRoute(parts.path)?.operationNames[httpMethod] !== name) {
    const request = `${httpMethod} ${parts.path}`;
    invoke.error(`error: ${request} is not ${name}, which is ${method} ${basePath}${template}.`);
  }
  const isText = body === undefined || body === null || typeof body === 'string';
  return {
    httpMethod,
    ...parts,
    ...given,
    body: isText ? body : stringifyExactJson(body),
  } as RawEvent;
}

/** Adds the headers that the event does not have in any spelling. */
function addHeaders(event: RawEvent, own: Record<string, string>): RawEvent {
  const sent = Object.keys({ ...event.headers, ...event.multiValueHeaders });
  const sentNames = sent.map((name) => name.toLowerCase());
  const added = Object.entries(own).filter(([name]) => !sentNames.includes(name.toLowerCase()));
  return { ...event, headers: { ...Object.fromEntries(added), ...event.headers } };
}

if (import.meta.main) await runCommand(invoke);
