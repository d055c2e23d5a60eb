import { setTimeout as wait } from 'node:timers/promises';
import type { TableNames } from '../../infra/functionEnvironment.ts';
import { startEmbeddedDatabase } from '../../infra/local/localDatabase.ts';
import { localStage } from '../../infra/local/localStage.ts';
import { Client } from './Client.ts';
import { checkTables } from './checkTables.ts';
import { Fleet } from './Fleet.ts';
import { startFaultProxy } from './faultProxy.ts';
import { faultSchedule } from './faultSchedule.ts';
import { startFunctions, startNpmStart } from './Instance.ts';
import { Ledger } from './Ledger.ts';
import { seededRandom } from './seededRandom.ts';
import { setCounterBack } from './setCounterBack.ts';
import { act, askAgain, type Workload } from './workload.ts';

export type Settings = {
  seed: number;
  durationMs: number;
  /** How many clients send requests at the same time. */
  clients: number;
  /** How many processes of the service run at the same time. */
  instances: number;
  killEveryMs: number;
  /**
   * Whether the id counter is set back in the middle. For runs of some seconds, in which the creates
   * that follow bring it ahead of the stored ids again.
   */
  setsCounterBack?: boolean;
};

/** Where functions are deployed to: an engine, its tables, and what a stage sets. */
export type Deployment = {
  endpoint: string;
  tableNames: TableNames;
  stage: string;
  apiKey: string;
  environment: NodeJS.ProcessEnv;
};

export type ChaosReport = {
  creations: number;
  acknowledged: number;
  /** By their status; `none` where the process was killed. */
  answers: Record<string, number>;
  faults: Record<string, number>;
  kills: number;
  killedRequests: number;
  /** By how many ids the counter was set back. */
  idsSetBack: number;
  /** What the processes logged of answers of 500. */
  failures: string[];
  /** Each broken promise, in a sentence. */
  violations: string[];
};

/**
 * Lets clients work on the functions while the database fails and the functions' processes are killed.
 *
 * Then the faults end, what was acknowledged is asked for again, and the tables are read.
 */
export async function runChaosOnFunctions(
  settings: Settings,
  { endpoint, tableNames, stage, apiKey, environment }: Deployment,
): Promise<ChaosReport> {
  const proxy = await startFaultProxy(endpoint, faultSchedule(settings.seed));
  const functionEnvironment = { ...environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint };
  const fleet = new Fleet(() => startFunctions(functionEnvironment));
  const ledger = new Ledger();
  await fleet.grow(settings.instances);

  const setBack = () => (settings.setsCounterBack ? setCounterBack(endpoint, tableNames.pets) : 0);
  const [idsSetBack] = await Promise.all([
    wait(settings.durationMs / 2).then(setBack),
    work(settings, { fleet, ledger, apiKey, stage, calmDown: proxy.calmDown }),
  ]);
  proxy.stop();
  const tables = { endpoint, tableNames, mayIndexHoldMore: false };
  ledger.violations.push(...(await checkTables(ledger, tables)));
  return { ...reportOf(ledger, fleet), faults: proxy.counts, idsSetBack };
}

/** The same on `npm start`, whose kill takes the engine along, with the data in a folder. */
export async function runChaosOnNpmStart(settings: Settings, folder: string): Promise<ChaosReport> {
  const { instance, apiKey } = await startNpmStart(folder);
  await instance.kill();
  const fleet = new Fleet(async () => (await startNpmStart(folder)).instance);
  const ledger = new Ledger();
  await fleet.grow(1);

  await work(settings, { fleet, ledger, apiKey, stage: localStage.name, calmDown: async () => {} });
  const { endpoint, stop } = await startEmbeddedDatabase(folder);
  const tables = { endpoint, tableNames: localStage.tableNames, mayIndexHoldMore: true };
  ledger.violations.push(...(await checkTables(ledger, tables)));
  await stop();
  return { ...reportOf(ledger, fleet), faults: {}, idsSetBack: 0 };
}

type World = {
  fleet: Fleet;
  ledger: Ledger;
  apiKey: string;
  stage: string;
  calmDown: () => Promise<void>;
};

async function work(
  { seed, durationMs, clients, killEveryMs }: Settings,
  { fleet, ledger, apiKey, stage, calmDown }: World,
): Promise<void> {
  const over = AbortSignal.timeout(durationMs);
  const client = new Client(apiKey, ledger);
  const workloads = Array.from({ length: clients }, (_, number): Workload => {
    const random = seededRandom(Math.imul(seed, 1009) + number);
    return { client, ledger, random, stage, instance: () => fleet.any(random) };
  });
  const working = workloads.map(async (workload) => {
    while (!over.aborted) await act(workload);
  });
  await killAgainAndAgain(fleet, seededRandom(seed), killEveryMs, over);
  await Promise.all([calmDown(), ...working]);
  await askAgain(workloads);
  await fleet.stop();
}

async function killAgainAndAgain(
  fleet: Fleet,
  random: () => number,
  everyMs: number,
  over: AbortSignal,
): Promise<void> {
  for (;;) {
    // Half to one and a half times as long, so that no kill keeps step with anything.
    await wait(everyMs * (0.5 + random()), undefined, { signal: over }).catch(() => {});
    if (over.aborted) return;
    await fleet.replaceOne(random);
  }
}

function reportOf(ledger: Ledger, fleet: Fleet): Omit<ChaosReport, 'faults' | 'idsSetBack'> {
  const { creations, answers, violations } = ledger;
  const { kills, killedRequests, failures } = fleet;
  return {
    creations: creations.length,
    acknowledged: ledger.acknowledged().length,
    answers,
    kills,
    killedRequests,
    failures,
    violations,
  };
}
