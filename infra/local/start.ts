import { parseArgs } from 'node:util';
import { isOrigin } from '../crossOrigin.ts';
import { localStage } from './localStage.ts';
import { jsonReport } from './report.ts';
import { textReport } from './textReport.ts';

const usage = `Serves the pet store interface on this machine.

  npm start -- [options]

  --port <number>   the port to listen on, or 0 for any free port    (3000)
  --host <address>  the address to listen on                         (127.0.0.1)
  --data <folder>   the folder of the pets and the API key           (${localStage.dataFolder})
  --in-memory       keep no data
  --seed <number>   add this many sample pets to the existing ones
                    before serving, up to 1000000                    (0)
  --cors-origin <origin>
                    let web pages of this origin call the service;
                    repeat it for further origins
  --watch           restart on the same port when a source file
                    changes; --seed applies to the first start only
  --json            print one JSON object per line
  --help            print this text

Terminals get colours. NO_COLOR=1 disables them, FORCE_COLOR=1 enables them.

AWS_ENDPOINT_URL_DYNAMODB=<url> uses another DynamoDB engine instead of the embedded one.`;

const maxSeedPets = 1_000_000;

/** Runs `npm start` and returns the exit code. */
export async function start(args: string[]): Promise<number> {
  try {
    return await run(args);
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    return 1;
  }
}

async function run(args: string[]): Promise<number> {
  const options = readOptions(args);
  if (options.isHelpWanted) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const report = options.isJsonWanted ? jsonReport() : textReport();
  if (options.isWatchWanted) {
    const { watchService } = await import('./watchService.ts');
    return watchService(args, report);
  }
  // Imported on demand: it loads the database, which `--watch` does not need.
  const { serve } = await import('./serve.ts');
  await serve(options, report);
  return 0;
}

/** Throws an error that says what to change if an option is unknown or out of range. */
function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    // `--watch` starts its service with `--no-watch`.
    allowNegative: true,
    options: {
      port: { type: 'string', default: '3000' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string' },
      'in-memory': { type: 'boolean', default: false },
      seed: { type: 'string', default: '0' },
      'cors-origin': { type: 'string', multiple: true, default: [] },
      watch: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) {
    throw new Error('--port takes a number from 0 to 65535.');
  }
  // Node.js reads an empty host as all addresses.
  if (values.host === '') {
    throw new Error('--host takes an address: 127.0.0.1, or 0.0.0.0 for all of this machine.');
  }
  if (!/^\d{1,7}$/.test(values.seed) || Number(values.seed) > maxSeedPets) {
    throw new Error(`--seed takes a whole number from 0 to ${maxSeedPets}.`);
  }
  if (values['in-memory'] && values.data !== undefined) {
    throw new Error('--data and --in-memory exclude each other.');
  }
  const corsOrigins = values['cors-origin'];
  // Browsers send `null` for a page that was opened from a file.
  if (!corsOrigins.every((origin) => origin === 'null' || isOrigin(origin))) {
    throw new Error(
      '--cors-origin takes an origin such as http://localhost:8080, or null for files.',
    );
  }
  return {
    corsOrigins,
    port: Number(values.port),
    host: values.host,
    ...(!values['in-memory'] && { folder: values.data ?? localStage.dataFolder }),
    seedPetCount: Number(values.seed),
    isWatchWanted: values.watch,
    isJsonWanted: values.json,
    isHelpWanted: values.help,
  };
}

/** Says why the service did not start, and what to change. */
function explainFailure(error: unknown): string {
  const { code, port, message, syscall } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE' && syscall === 'listen') {
    return `Port ${port} is taken. Stop the program that uses it, or choose another port: npm start -- --port ${(port ?? 0) + 1}  (0 takes any free port)`;
  }
  if (code === 'EACCES' && syscall === 'listen') {
    return `Port ${port} needs more rights than this process has. Choose a port above 1023.`;
  }
  if (code?.startsWith('ERR_PARSE_ARGS')) return `${message}\n\n${usage}`;
  if (code === 'ECONNREFUSED') {
    return `No DynamoDB engine responds at ${process.env.AWS_ENDPOINT_URL_DYNAMODB}. Start it, or unset AWS_ENDPOINT_URL_DYNAMODB to use the embedded engine.`;
  }
  return message || String(error);
}

// Not `process.exitCode`: an engine that failed to start may keep the process alive.
if (import.meta.main) process.exit(await start(process.argv.slice(2)));
