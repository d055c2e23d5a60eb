import { createReadStream, existsSync } from 'node:fs';
import { text as readText } from 'node:stream/consumers';
import { Argument, InvalidArgumentError } from '@commander-js/extra-typings';
import type { RawEvent } from '../lib/http/event.ts';
import { findRoute } from '../lib/http/routes.ts';
import { setLogOutput } from '../lib/logging.ts';
import { basePath, type OperationName, operationEntries, operations } from '../lib/operations.ts';
import { gatewayLog } from '../local/gatewayLog.ts';
import { loadFunctions } from '../local/localGateway.ts';
import { localStage } from '../local/localStage.ts';
import { openLocalService } from '../local/openLocalService.ts';
import { targetParts } from '../local/proxyEvent.ts';
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
Method, path, an API key and the media type are added if the event lacks them. The response is printed as JSON:

  npm run invoke -- createPet '{"body": {"name": "Rex", "categoryId": 7}}'
  npm run invoke -- getPet '{"pathParameters": {"petId": 1}}'
  npm run invoke -- listPets '{"path": "/v1/pets?limit=5"}'`,
  )
  .action(async (name, argument, { event: file, data }) => {
    const input = file === '-' ? process.stdin : file && createReadStream(file);
    const event = parseEvent(name, input ? await readText(input) : argument);
    const { headers, stop } = await openLocalService({ folder: data });
    try {
      setLogOutput(gatewayLog(process.stderr));
      const { [name]: handler } = await loadFunctions();
      print(JSON.stringify(await handler(addKey(event, headers)), null, 2));
    } finally {
      await stop();
    }
  });

/** A mistyped folder is not created. */
function existingFolder(path: string): string {
  if (existsSync(path)) return path;
  throw new InvalidArgumentError('There is no such folder. npm start creates one.');
}

/** The members of a proxy event. Each may be missing. */
const members = `resource path httpMethod headers multiValueHeaders queryStringParameters
multiValueQueryStringParameters pathParameters stageVariables requestContext body isBase64Encoded`.split(
  /\s/,
);

/** Reads parts of an event, and adds what follows from the operation and the path. The body may be a JSON value. */
function parseEvent(name: OperationName, text: string): RawEvent {
  try {
    const { body } = Object(
      JSON.parse(text, (_key, value, { source }) =>
        typeof value === 'number' ? JSON.rawJSON(source) : value,
      ),
    );
    // Outside of the body, API Gateway sends texts instead of numbers.
    const { path, ...given } = Object(
      JSON.parse(text, (_key, value, { source }) => (typeof value === 'number' ? source : value)),
    );
    if (!text.trimStart().startsWith('{')) throw new Error('it must be a JSON object');
    const unknown = Object.keys(given).filter((member) => !members.includes(member));
    if (unknown.length > 0) throw new Error(`no event has ${unknown}. Use ${members.join(', ')}`);
    const { method, path: template } = operations[name];
    const ownPath = `${basePath}${template}`.replaceAll(/\{(\w+)\}/g, (_segment, parameter) =>
      encodeURIComponent(given.pathParameters?.[parameter] ?? ''),
    );
    const isText = typeof body === 'string' || body === null;
    const event = {
      httpMethod: method,
      ...targetParts(path ?? ownPath),
      ...given,
      body: isText ? body : JSON.stringify(body),
    };
    if (findRoute(event.path)?.operationNames[event.httpMethod] !== name) {
      throw new Error(`${event.httpMethod} ${event.path} is no request of ${name}`);
    }
    return event;
  } catch (error) {
    return invoke.error(`error: the event cannot be read: ${(error as Error).message}`);
  }
}

/** Adds the API key unless the event has an Authorization, in any spelling. */
function addKey(event: RawEvent, key: Record<string, string>): RawEvent {
  const names = Object.keys({ ...event.headers, ...event.multiValueHeaders });
  const hasOwn = names.some((name) => name.toLowerCase() === 'authorization');
  return hasOwn ? event : { ...event, headers: { ...event.headers, ...key } };
}
