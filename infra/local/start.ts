import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { isOrigin } from '../checkStages.ts';
import { defineCommand, runCommand, UsageError, wholeNumber } from '../tools/command.ts';
import { jsonReport } from './jsonReport.ts';
import { localStage } from './localStage.ts';
import { textReport } from './textReport.ts';

export const start = defineCommand('start', 'Serves the pet store interface on this machine.')
  .option(
    '--port <number>',
    'the port to listen on, or 0 for any free port',
    wholeNumber(0, 65_535),
    3000,
  )
  .option('--host <address>', 'the address to listen on', '127.0.0.1')
  .option(
    '--data <folder>',
    `the folder of the pets and the API key (default: "${localStage.dataFolder}")`,
  )
  .addOption(new Option('--in-memory', 'keep no data').conflicts('data'))
  .option(
    '--seed <number>',
    'add this many sample pets to the existing ones before serving, up to 1000000',
    wholeNumber(0, 1_000_000),
    0,
  )
  .option(
    '--cors-origin <origin>',
    'let web pages of this origin call the service; repeat it for further origins',
    addOrigin,
    [],
  )
  .option(
    '--watch',
    'restart on the same port when a source file changes; --seed applies to the first start only',
  )
  // `--watch` starts its service with it.
  .addOption(new Option('--no-watch').hideHelp())
  .option('--json', 'print one JSON object per line')
  .addHelpText(
    'after',
    `
Terminals get colours. NO_COLOR=1 disables them, FORCE_COLOR=1 enables them.

AWS_ENDPOINT_URL_DYNAMODB=<url> uses another DynamoDB engine instead of the embedded one.`,
  )
  .action(async (options) => {
    // Node.js reads an empty host as all addresses.
    if (options.host === '') {
      throw new UsageError(
        '--host takes an address: 127.0.0.1, or 0.0.0.0 for all of this machine.',
      );
    }
    try {
      await run(options);
    } catch (error) {
      const explanation = explainFailure(error as SystemError);
      throw explanation === undefined ? error : new Error(explanation, { cause: error });
    }
  });

async function run(options: ReturnType<typeof start.opts>): Promise<void> {
  const report = options.json ? jsonReport() : textReport();
  if (options.watch) {
    const { watchService } = await import('./watchService.ts');
    process.exitCode = await watchService(process.argv.slice(2), report);
    return;
  }
  // Imported on demand: it loads the database, which `--watch` does not need.
  const { serve } = await import('./serve.ts');
  const { port, host, inMemory, data = localStage.dataFolder, seed, corsOrigin } = options;
  const folder = inMemory ? {} : { folder: data };
  await serve({ port, host, seedPetCount: seed, corsOrigins: corsOrigin, ...folder }, report);
}

/** Adds an origin to those before it. */
function addOrigin(origin: string, others: string[]): string[] {
  // Browsers send `null` for a page that was opened from a file.
  if (origin !== 'null' && !isOrigin(origin)) {
    throw new InvalidArgumentError(
      'It takes an origin such as http://localhost:8080, or null for files.',
    );
  }
  return [...others, origin];
}

type SystemError = NodeJS.ErrnoException & { port?: number; address?: string; hostname?: string };

/** Says why the service did not start, and what to change. */
function explainFailure(error: SystemError): string | undefined {
  const { code, port, address, hostname, syscall } = error;
  if (code === 'EADDRINUSE' && syscall === 'listen') {
    return `Port ${port} is taken. Stop the program that uses it, or choose another port: npm start -- --port ${(port ?? 0) + 1}  (0 takes any free port)`;
  }
  if (code === 'EACCES' && syscall === 'listen') {
    return `Port ${port} needs more rights than this process has. Choose a port above 1023.`;
  }
  if (code === 'ECONNREFUSED') {
    return `No DynamoDB engine responds at ${process.env.AWS_ENDPOINT_URL_DYNAMODB}. Start it, or unset AWS_ENDPOINT_URL_DYNAMODB to use the embedded engine.`;
  }
  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo') {
    return `This machine has no address ${address ?? hostname}. Use --host 127.0.0.1, or --host 0.0.0.0 for all addresses of this machine.`;
  }
  if (syscall === 'uv_cwd') return 'The working directory is deleted. Change to another one.';
  return undefined;
}

if (import.meta.main) {
  await runCommand(start);
  // An engine that failed to start may keep the process alive.
  process.exit();
}
