import { once } from 'node:events';
import { type AddressInfo, isIPv6, type Server } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { basePath } from '../../lib/operations.ts';
import { functionEnvironment } from '../functionEnvironment.ts';
import { createTables } from './createTables.ts';
import type { Report } from './jsonReport.ts';
import { openLocalDatabase } from './localDatabase.ts';
import { localStage } from './localStage.ts';
import type { SeedProgress } from './seedPets.ts';
import { shutdownSignal } from './shutdownSignal.ts';

type ServeOptions = {
  port: number;
  host: string;
  /** In memory if absent. */
  folder?: string;
  seedPetCount: number;
  /** The origins of pages that may call the service. */
  corsOrigins: readonly string[];
};

/** The message of a service to the `--watch` that started it. */
export type ServiceMessage = { port: number };

/** Requests under way have this long to finish after a stop. */
const stopWithinMs = 10_000;

/** Serves the interface until the process should end and all requests under way are done. */
export async function serve(options: ServeOptions, report: Report): Promise<void> {
  const { port, host, folder, seedPetCount, corsOrigins } = options;
  const shutdown = shutdownSignal();
  const database = await openLocalDatabase(folder);
  await createTables(localStage.tableNames);
  setFunctionEnvironment(corsOrigins);

  // Imported now, because lib/config.ts reads the environment when it loads.
  const { createLocalGateway, loadFunctions } = await import('./localGateway.ts');
  const { output } = await import('../../lib/logging.ts');
  const { localApiKey } = await import('./localApiKey.ts');
  const { serveDocs } = await import('../docs/serveDocs.ts');
  const { failed } = report;
  if (failed && process.env.LOG_LEVEL !== 'SILENT') {
    const { write } = output;
    output.write = (line) => (line.level === 'ERROR' ? failed(line.message, line) : write(line));
  }
  const apiKey = await localApiKey(folder);
  const gateway = createLocalGateway(await loadFunctions(), {
    onHandled: report.handled,
    onRequest: serveDocs({ apiKey, host }),
    corsOrigins,
  });
  await gateway.listen({ port, host }).catch(async (error) => {
    await database.stop();
    throw error;
  });
  // A start that fails because the port is taken must not add its pets.
  if (seedPetCount > 0) await seed(seedPetCount, shutdown, report);

  if (!shutdown.aborted) {
    const address = publicAddress(gateway.server, host);
    report.started({
      baseAddress: `${address}${basePath}`,
      docsAddress: `${address}/`,
      apiKey,
      database: database.description,
    });
    // If the parent has died, this service is stopping already.
    process.send?.({ port: portOf(gateway.server) } satisfies ServiceMessage, () => {});
  }
  if (!shutdown.aborted) await once(shutdown, 'abort');

  await Promise.race([gateway.close(), setTimeout(stopWithinMs)]);
  await database.stop();
  report.stopped();
}

function setFunctionEnvironment(corsOrigins: readonly string[]): void {
  Object.assign(process.env, {
    // The gateway logs each request. The functions log only what goes wrong.
    LOG_LEVEL: process.env.LOG_LEVEL || 'WARN',
    // The metric lines are for CloudWatch.
    METRICS: process.env.METRICS || 'off',
    ...functionEnvironment({ ...localStage, stage: localStage.name, corsOrigins }),
  });
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
    // Also after a failure.
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
