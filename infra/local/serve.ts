import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { basePath, operationEntries } from '../../lib/operations.ts';
import { functionEnvironment } from '../functionEnvironment.ts';
import { createTables } from './createTables.ts';
import { openLocalDatabase } from './localDatabase.ts';
import type { Functions } from './localGateway.ts';
import { localStage } from './localStage.ts';
import type { Report } from './Report.ts';
import type { SeedProgress } from './seedPets.ts';
import type { StartOptions } from './startOptions.ts';
import { stopRequest } from './stopRequest.ts';

/** How long a stop waits for requests under way. */
const stopWithinMs = 10_000;

/** What a service tells the `--watch` that started it. */
export type ServiceMessage = { port: number };

/** Serves the interface until a stop is requested and all that is under way is done. */
export async function serve(options: StartOptions, report: Report): Promise<void> {
  const { port, host, folder, seedPetCount } = options;
  const stop = stopRequest();
  const database = await openLocalDatabase(folder);
  await createTables(localStage.tableNames);
  setFunctionEnvironment();

  // Imported only now, because lib/config.ts reads the environment as it loads.
  const { createLocalGateway } = await import('./localGateway.ts');
  const { localApiKey } = await import('./localApiKey.ts');
  const { serveDocs } = await import('./serveDocs.ts');
  const server = createLocalGateway(await loadFunctions(), report.handled);
  server.listen(port, host);
  await once(server, 'listening').catch(async (error) => {
    await database.stop();
    throw error;
  });
  // After the port is ours: a start that fails for want of it must not add its pets again and again.
  if (seedPetCount > 0) await seed(seedPetCount, stop, report);

  if (!stop.aborted) {
    const address = publicAddress(server, host);
    const apiKey = await localApiKey(folder);
    serveDocs(server, { apiKey, host });
    report.started({
      baseAddress: `${address}${basePath}`,
      docsAddress: `${address}/`,
      apiKey,
      database: database.description,
    });
    // A parent that died meanwhile has ended this service already: that it cannot be told is no error.
    process.send?.({ port: portOf(server) } satisfies ServiceMessage, () => {});
  }
  if (!stop.aborted) await once(stop, 'abort');

  const timeIsUp = setTimeout(stopWithinMs);
  timeIsUp.then(() => server.closeAllConnections());
  const closed = once(server, 'close');
  server.close();
  await closed;
  await Promise.race([server.handlersDone(), timeIsUp]);
  await database.stop();
  report.stopped();
}

function setFunctionEnvironment(): void {
  Object.assign(process.env, {
    // A person reads the request log of the gateway; of the functions' own, only what went wrong.
    LOG_LEVEL: process.env.LOG_LEVEL || 'WARN',
    // Lines for CloudWatch, which is not here.
    POWERTOOLS_METRICS_DISABLED: process.env.POWERTOOLS_METRICS_DISABLED || 'true',
    ...functionEnvironment({
      stage: localStage.name,
      tableNames: localStage.tableNames,
      shards: localStage.shards,
      idsPerLease: localStage.idsPerLease,
    }),
  });
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

async function seed(petCount: number, stop: AbortSignal, report: Report): Promise<void> {
  const { seedPets } = await import('./seedPets.ts');
  let last: SeedProgress | undefined;
  function onProgress(progress: SeedProgress): void {
    last = progress;
    report.seeding(progress);
  }
  try {
    last = await seedPets(petCount, { stop, onProgress });
  } finally {
    // Of a seeding that failed too it is told how far it came.
    if (last) report.seeded(last);
  }
}

function publicAddress(server: Server, host: string): string {
  const isLocal = ['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host);
  const name = isLocal ? 'localhost' : isIPv6(host) ? `[${host}]` : host;
  return `http://${name}:${portOf(server)}`;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
