import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { basePath, operationEntries } from '../../lib/operations.ts';
import { functionEnvironment } from '../functionEnvironment.ts';
import { createTables } from './createTables.ts';
import { openLocalDatabase } from './localDatabase.ts';
import type { Functions, HandledRequest } from './localGateway.ts';
import { localStage } from './localStage.ts';
import { readStartOptions, type StartOptions, startUsage } from './startOptions.ts';

/** How long a stop waits for requests under way. */
const stopWithinMs = 10_000;

/** How often it is asked whether npm is still there. */
const orphanCheckMs = 250;

try {
  const options = readStartOptions(process.argv.slice(2));
  if (options.isHelpWanted) print(startUsage);
  else await serve(options);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  // Not `process.exitCode`: an engine that failed to start may hold the process open.
  process.exit(1);
}

async function serve({ port, host, folder }: StartOptions): Promise<void> {
  const database = await openLocalDatabase(folder);
  await createTables(localStage.tableNames);
  Object.assign(process.env, {
    // A person reads the request log of the gateway; of the functions' own, only what went wrong.
    LOG_LEVEL: process.env.LOG_LEVEL || 'WARN',
    ...functionEnvironment({
      stage: localStage.name,
      tableNames: localStage.tableNames,
      shards: localStage.shards,
    }),
  });

  // Imported only now, because lib/config.ts reads the environment as it loads.
  const { createLocalGateway } = await import('./localGateway.ts');
  const { localApiKey } = await import('./localApiKey.ts');
  const { serveDocs } = await import('./serveDocs.ts');
  const server = createLocalGateway(await loadFunctions(), logRequest);
  server.listen(port, host);
  await once(server, 'listening').catch(async (error) => {
    await database.stop();
    throw error;
  });
  const apiKey = await localApiKey(folder);
  serveDocs(server, { apiKey, host });

  const address = `${publicAddress(server, host)}${basePath}`;
  print(`Pet store   ${address}
Docs        ${publicAddress(server, host)}/
API key     ${apiKey}
Try         curl -H 'Authorization: Bearer ${apiKey}' ${address}/pets
Database    ${database.description}
Stop        Ctrl+C
`);

  await stopSignal();
  // From here on a signal ends the process at once, as no handler is left for it.
  setTimeout(() => server.closeAllConnections(), stopWithinMs).unref();
  const closed = once(server, 'close');
  server.close();
  await closed;
  await database.stop();
  print('Stopped.');
  process.exit(0);
}

/** Waits until somebody wants the service to end. */
async function stopSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());

  // npm passes a signal on to the shell that runs the script, and the shell dies without a word.
  const { ppid, env } = process;
  const isOrphan = () => env.npm_lifecycle_event !== undefined && process.ppid !== ppid;
  const watch = setInterval(() => isOrphan() && resolve(), orphanCheckMs);

  await promise;
  clearInterval(watch);
  process.removeAllListeners('SIGINT').removeAllListeners('SIGTERM');
}

/** Every file of `functions/` by the name of its operation, as they are deployed. */
async function loadFunctions(): Promise<Functions> {
  const names = [...operationEntries.map(([name]) => name), 'fallback'];
  const modules = names.map(async (name) => {
    const { handler } = await import(`../../functions/${name}.ts`);
    return [name, handler];
  });
  return Object.fromEntries(await Promise.all(modules));
}

function publicAddress(server: Server, host: string): string {
  const isLocal = ['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host);
  const name = isLocal ? 'localhost' : isIPv6(host) ? `[${host}]` : host;
  return `http://${name}:${(server.address() as AddressInfo).port}`;
}

function logRequest({ method, path, status, durationMs }: HandledRequest): void {
  // Only what is printable in ASCII, so that a path cannot write a line of its own.
  const shownPath = path.replaceAll(/[^\x21-\x7e]/g, encodeURIComponent);
  print(
    `${new Date().toISOString()}  ${method} ${shownPath}  ${status}  ${durationMs.toFixed(1)} ms`,
  );
}

function explain(error: unknown): string {
  const { code, port, message, syscall } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE' && syscall === 'listen') {
    return `Port ${port} is taken. Stop what uses it, or choose another: npm start -- --port ${(port ?? 0) + 1}  (0 takes any free one)`;
  }
  if (code === 'EACCES' && syscall === 'listen') {
    return `Port ${port} needs more rights than this process has. Choose one above 1023.`;
  }
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || code?.startsWith('ERR_PARSE_ARGS')) {
    return `${message}\n\n${startUsage}`;
  }
  if (code === 'ECONNREFUSED') {
    return `No DynamoDB engine answers at ${process.env.AWS_ENDPOINT_URL_DYNAMODB}: start it, or unset AWS_ENDPOINT_URL_DYNAMODB to use the embedded one.`;
  }
  return message || String(error);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
