import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { serveDocs } from '../docs/page/serveDocs.ts';
import { isOrigin } from '../infra/stageSchema.ts';
import { setLogOutput } from '../lib/logging.ts';
import { basePath } from '../lib/operations.ts';
import { unknownTables } from '../local/createTables.ts';
import { type GatewayLog, gatewayLog } from '../local/gatewayLog.ts';
import { createLocalGateway, loadFunctions } from '../local/localGateway.ts';
import { localStage } from '../local/localStage.ts';
import { openLocalService } from '../local/openLocalService.ts';
import { seedPets } from '../local/seedPets.ts';
import { defineCommand, parseFolder, parseWholeNumber, print } from './command.ts';

/** The addresses of `localhost`. If another user's program listened on one of them, it would get the API key. */
const loopback = ['127.0.0.1', '::1'];

const defaultPort = 3000;

const parsePort = parseWholeNumber(0, 65_535);

export const start = defineCommand('start', 'Serves the pet store interface on this machine.')
  .addOption(
    new Option('--port <number>', 'the port to listen on, or 0 for any free port')
      // A compose file passes an unset PORT as an empty one.
      .argParser((text) => (text === '' ? defaultPort : parsePort(text)))
      .env('PORT')
      .default(defaultPort),
  )
  .option(
    '--data <folder>',
    'the folder of the pets and the API key',
    parseFolder,
    localStage.dataFolder,
  )
  .addOption(
    new Option(
      '--in-memory',
      'keep pets and API keys in memory only, which npm run keys does not reach',
    ).conflicts('data'),
  )
  .option(
    '--seed <number>',
    'add this many sample pets to the existing ones at the start, up to 1000000',
    parseWholeNumber(0, 1_000_000),
    0,
  )
  .addOption(
    new Option(
      '--cors-origin <origin>',
      'let web pages of this origin call the service; repeat it for further origins',
    )
      .argParser(addOrigin)
      .default([], 'none'),
  )
  .addHelpText(
    'after',
    `
It serves programs of this machine only. From another container, share the network of this one.

In a file or a pipe, each line of the log is one JSON object.

npm run dev takes the same options, and restarts the service when a source file changes. Each restart
adds the pets of --seed again. On Linux, once an editor has replaced a file by a new one, dev notices only
further replacements of this file, and may miss one that follows at once: save again.

Ctrl+C stops the service. Send other signals to the process of node: npm does not pass them on.`,
  )
  .action(serve);

type Options = ReturnType<typeof start.opts>;

/**
 * Starts the service, which runs until the process is killed.
 *
 * The service needs no graceful stop, because a pet is stored before its 201 is sent.
 */
async function serve(options: Options): Promise<void> {
  const { data, inMemory, seed, corsOrigin } = options;
  const { apiKey } = await openLocalService({
    folder: inMemory ? undefined : data,
    isShared: false,
    corsOrigins: corsOrigin,
  });
  const log = gatewayLog();
  setLogOutput(log);
  const unknown = await unknownTables(localStage.tableNames);
  if (unknown.length > 0) {
    const message = `The data folder has tables that this version does not know: ${unknown.join(', ')}.`;
    log({ level: 'WARN', message });
  }
  const functions = await loadFunctions();
  const gatewayOptions = { log, onRequest: serveDocs(), corsOrigins: corsOrigin };
  let { port } = options;
  for (const host of loopback) {
    const gateway = createLocalGateway(functions, gatewayOptions);
    port = await listen(gateway, port, host);
  }
  // A start that fails because the port is taken must not add its pets.
  if (seed > 0) await addSamplePets(seed, log);

  const address = `http://localhost:${port}`;
  const baseAddress = `${address}${basePath}`;
  // Browsers never send the part after the `#`. The page reads the key from there.
  const docsAddress = `${address}/#key=${apiKey}`;
  const database = `embedded, in ${inMemory ? 'memory' : resolve(data)}`;
  if (process.stdout.isTTY) {
    print(`
Pet store  ${baseAddress}
Docs       ${docsAddress}
API key    ${apiKey}
Database   ${database}
Try        curl ${baseAddress}/pets -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '{"name": "Rex", "categoryId": 7}'
Stop       Ctrl+C
`);
  } else {
    // The log would mask the key.
    const started = { timestamp: new Date().toISOString(), level: 'INFO', message: 'Started' };
    print(JSON.stringify({ ...started, baseAddress, docsAddress, apiKey, database }));
  }
}

/** Listens, and returns the port. On a machine without IPv6, no program can listen on `::1`. */
async function listen(server: Server, port: number, host: string): Promise<number> {
  try {
    await once(server.listen(port, host), 'listening');
    return (server.address() as AddressInfo).port;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return port;
    const problem = `Port ${port} of ${host} is taken or not allowed.`;
    const advice = 'Stop the program that uses it, or choose another with --port.';
    throw new Error(`${problem} ${advice}`, { cause });
  }
}

/** Adds sample pets and logs the progress. Ctrl+C keeps those that are added. */
async function addSamplePets(count: number, log: GatewayLog): Promise<void> {
  for await (const added of seedPets(count)) {
    if (added % 10_000 === 0 || added === count) {
      log({ level: 'INFO', message: `Added ${added} of ${count} sample pets.` });
    }
  }
}

/** Adds the origin of one `--cors-origin` to the earlier ones. */
function addOrigin(text: string, others: string[]): string[] {
  const origin = text.replace(/\/$/, '');
  // Browsers send `null` for a page that was opened from a file.
  if (origin !== 'null' && !isOrigin(origin)) {
    throw new InvalidArgumentError(
      'It takes an origin such as http://localhost:8080, or null for files.',
    );
  }
  return [...others, origin];
}
