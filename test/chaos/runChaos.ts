import { setTimeout as wait } from 'node:timers/promises';
import { startEmbeddedDatabase } from '../../infra/local/localDatabase.ts';
import { localStage } from '../../infra/local/localStage.ts';
import { Client } from './Client.ts';
import { checkPets } from './checkPets.ts';
import { Fleet, startFunctions, startNpmStart } from './Fleet.ts';
import { startFaultProxy } from './faultProxy.ts';
import { faultSchedule } from './faultSchedule.ts';
import { Ledger } from './Ledger.ts';
import { seededRandom } from './seededRandom.ts';
import { act, readBackAll, type Workload } from './workload.ts';

export type Settings = {
  seed: number;
  durationMs: number;
  /** Clients that send requests at the same time. */
  clients: number;
  /** Processes of the service that run at the same time. */
  instances: number;
  killEveryMs: number;
};

/** The needs of the functions: an engine with tables, and an API key. */
export type Deployment = {
  endpoint: string;
  petsTableName: string;
  apiKey: string;
  environment: NodeJS.ProcessEnv;
};

export type ChaosReport = {
  creations: number;
  acknowledged: number;
  /** By status; `none` if the process was killed. */
  responses: Record<string, number>;
  faults: Record<string, number>;
  kills: number;
  killedRequests: number;
  /** The log lines of the processes about responses of 500. */
  failures: string[];
  /** Each broken promise, as a sentence. */
  violations: string[];
};

/**
 * Runs clients against the functions while the database fails and the functions' processes are killed.
 *
 * Then the faults end, the clients read everything back, and the stored pets are checked.
 */
export async function runChaosOnFunctions(
  settings: Settings,
  { endpoint, petsTableName, apiKey, environment }: Deployment,
): Promise<ChaosReport> {
  const proxy = await startFaultProxy(endpoint, faultSchedule(settings.seed));
  const functionEnvironment = { ...environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint };
  const fleet = new Fleet(() => startFunctions(functionEnvironment));
  const ledger = new Ledger();
  await fleet.grow(settings.instances);

  await work(settings, { fleet, ledger, apiKey, endFaults: proxy.endFaults });
  proxy.stop();
  const pets = { endpoint, TableName: petsTableName, mayIndexHoldMore: false };
  ledger.violations.push(...(await checkPets(ledger, pets)));
  return { ...reportOf(ledger, fleet), faults: proxy.counts };
}

/** The same with `npm start` and its data in a folder. Here a kill includes the engine. */
export async function runChaosOnNpmStart(settings: Settings, folder: string): Promise<ChaosReport> {
  const { instance, apiKey } = await startNpmStart(folder);
  await instance.kill();
  const fleet = new Fleet(async () => (await startNpmStart(folder)).instance);
  const ledger = new Ledger();
  await fleet.grow(1);

  await work(settings, { fleet, ledger, apiKey, endFaults: async () => {} });
  const { endpoint, stop } = await startEmbeddedDatabase(folder);
  const pets = { endpoint, TableName: localStage.tableNames.pets, mayIndexHoldMore: true };
  ledger.violations.push(...(await checkPets(ledger, pets)));
  await stop();
  return { ...reportOf(ledger, fleet), faults: {} };
}

type World = {
  fleet: Fleet;
  ledger: Ledger;
  apiKey: string;
  endFaults: () => Promise<void>;
};

async function work(
  { seed, durationMs, clients, killEveryMs }: Settings,
  { fleet, ledger, apiKey, endFaults }: World,
): Promise<void> {
  const over = AbortSignal.timeout(durationMs);
  const client = new Client(apiKey, ledger);
  const workloads = Array.from({ length: clients }, (_, number): Workload => {
    const random = seededRandom(Math.imul(seed, 1009) + number);
    return { client, ledger, random, instance: () => fleet.any(random) };
  });
  const working = workloads.map(async (workload) => {
    while (!over.aborted) await act(workload);
  });
  await killRepeatedly(fleet, seededRandom(seed), killEveryMs, over);
  await Promise.all([endFaults(), ...working]);
  await readBackAll(workloads);
  await fleet.stop();
}

async function killRepeatedly(
  fleet: Fleet,
  random: () => number,
  everyMs: number,
  over: AbortSignal,
): Promise<void> {
  for (;;) {
    // Half to one and a half times as long, so that the kills follow no rhythm.
    await wait(everyMs * (0.5 + random()), undefined, { signal: over }).catch(() => {});
    if (over.aborted) return;
    await fleet.replaceOne(random);
  }
}

function reportOf(ledger: Ledger, fleet: Fleet): Omit<ChaosReport, 'faults'> {
  const { creations, responses, violations } = ledger;
  const { kills, killedRequests, failures } = fleet;
  return {
    creations: creations.length,
    acknowledged: ledger.acknowledged().length,
    responses,
    kills,
    killedRequests,
    failures,
    violations,
  };
}
