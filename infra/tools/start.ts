import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { functionEnvironment } from '../../lib/config.ts';
import { setLogOutput } from '../../lib/logging.ts';
import { basePath } from '../../lib/operations.ts';
import { serveDocs } from '../docs/serveDocs.ts';
import { createTables } from '../local/createTables.ts';
import { type GatewayLog, gatewayLog } from '../local/gatewayLog.ts';
import { openLocalDatabase } from '../local/localDatabase.ts';
import { createLocalGateway, loadFunctions } from '../local/localGateway.ts';
import { localStage } from '../local/localStage.ts';
import { seedPets } from '../local/seedPets.ts';
import { isOrigin } from '../stageRules.ts';
import { defineCommand, folder, print, runCommand, wholeNumber } from './command.ts';
import { localApiKey } from './localApiKey.ts';

const loopback = '127.0.0.1';

/** Whether `npm run dev` runs this, which starts it again after each change of a file. */
const isWatched = process.env.npm_lifecycle_event === 'dev';

export const start = defineCommand(
  isWatched ? 'dev' : 'start',
  'Serves the pet store interface on this machine.',
)
  .option(
    '--port <number>',
    'the port to listen on, or 0 for any free port',
    wholeNumber(0, 65_535),
    3000,
  )
  .option(
    '--data <folder>',
    `the folder of the pets and the API key (default: "${localStage.dataFolder}")`,
    folder,
  )
  .addOption(
    new Option('--in-memory', 'keep no pets, and no keys of npm run keys').conflicts('data'),
  )
  .option(
    '--seed <number>',
    'add this many sample pets to the existing ones before serving, up to 1000000',
    wholeNumber(0, 1_000_000),
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
A terminal gets text, and a file or a pipe one JSON object a line.

npm run dev takes the same options, except --seed. It restarts the service when a source file changes.

Ctrl+C stops the service. Send other signals to the process of node: npm does not pass them on.`,
  )
  .action(serve);

type Options = ReturnType<typeof start.opts>;

/**
 * Starts the service, which runs until the process is killed.
 *
 * It needs no graceful stop: a pet is stored before its 201 is sent.
 */
async function serve(options: Options): Promise<void> {
  const { port, data = localStage.dataFolder, inMemory, seed, corsOrigin } = options;
  if (isWatched && seed > 0) {
    start.error('error: npm run dev restarts, and takes no --seed. Run npm start -- --seed first.');
  }
  await openLocalDatabase(inMemory ? undefined : data);
  await createTables(localStage.tableNames);
  Object.assign(process.env, {
    // The gateway logs each request. The functions log only what goes wrong.
    LOG_LEVEL: process.env.LOG_LEVEL || 'WARN',
    ...functionEnvironment({ ...localStage, stage: localStage.name, corsOrigins: corsOrigin }),
  });

  const log = gatewayLog();
  setLogOutput(log);
  const apiKey = await localApiKey(data, { mustKeep: !inMemory });
  const gateway = createLocalGateway(await loadFunctions(), {
    log,
    onRequest: serveDocs(),
    corsOrigins: corsOrigin,
  });
  await once(gateway.listen(port, loopback), 'listening').catch((error) => {
    throw explainFailure(error, options);
  });
  // A start that fails because the port is taken must not add its pets.
  if (seed > 0) await addSamplePets(seed, log);

  const address = `http://localhost:${(gateway.address() as AddressInfo).port}`;
  const baseAddress = `${address}${basePath}`;
  // No server sees a fragment: the page reads the key from it.
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
    // Not by the log, which would mask the key.
    const started = { timestamp: new Date().toISOString(), level: 'INFO', message: 'Started' };
    print(JSON.stringify({ ...started, baseAddress, docsAddress, apiKey, database }));
  }
}

/** Adds sample pets and shows the progress. Ctrl+C ends it after a whole batch. */
async function addSamplePets(count: number, log: GatewayLog): Promise<void> {
  const { isTTY } = process.stdout;
  let isInterrupted = false;
  process.once('SIGINT', () => {
    isInterrupted = true;
  });
  let added = 0;
  for await (added of seedPets(count)) {
    if (isInterrupted) break;
    const progress = `Adding sample pets: ${added} of ${count} …`;
    if (isTTY) process.stdout.write(`\r${progress}`);
    else if (added % 10_000 === 0) log({ level: 'INFO', message: progress });
  }
  process.removeAllListeners('SIGINT');
  if (isTTY) process.stdout.write('\r');
  log({ level: 'INFO', message: `Added ${added} of ${count} sample pets.` });
  if (isInterrupted) process.exit(130);
}

/** Says what to type instead of a port that is taken, or that only administrators may use. */
function explainFailure(cause: Error, { port, inMemory, data, seed, corsOrigin }: Options): Error {
  const args = [
    ...(inMemory ? ['--in-memory'] : []),
    ...(data === undefined ? [] : ['--data', /^[\w./-]+$/.test(data) ? data : `'${data}'`]),
    ...(seed === 0 ? [] : ['--seed', seed]),
    ...corsOrigin.flatMap((origin) => ['--cors-origin', origin]),
    ...['--port', Math.max(3000, (port + 1) % 65_536)],
  ];
  return new Error(
    `Port ${port} is taken or not allowed. Stop the program that uses it, or choose another port: ${[start.name(), ...args].join(' ')}  (0 takes any free port)`,
    { cause },
  );
}

/** Adds an origin to those before it. */
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

if (import.meta.main) {
  await runCommand(start);
  // After --help and wrong options, `node --watch` would wait for a change of a file.
  if (isWatched) {
    // The watcher passes its signal on, which would replace the exit code.
    process.once('exit', (code) => {
      if (code !== 1) process.on('SIGTERM', () => {}).kill(process.ppid);
    });
  }
  // After a failure, the engine would keep the process alive.
  if (process.exitCode) process.exit();
}
