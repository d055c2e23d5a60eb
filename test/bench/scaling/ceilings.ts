import type { Stage } from '../../../infra/stages.ts';
import { listKeys } from './accessPattern.ts';
import {
  partitionLimits,
  petBytes,
  type Quotas,
  queryMs,
  requestMs,
  requestsPerConcurrency,
} from './awsLimits.ts';

/** The settings of a stage that are a ceiling. */
export type StageSettings = Pick<
  Stage,
  'shards' | 'idsPerLease' | 'tableCeiling' | 'throttle' | 'memoryMb'
>;

export type Deployment = { settings: StageSettings; quotas: Quotas };

export type Ceiling = { name: string; requestsPerSecond: number };

/** How long a list takes: its queries wait together, and are worked on one after the other. */
export function listMs(queries: number): number {
  return requestMs + queryMs * (queries - 1);
}

/** What each limit leaves of createPet where nothing else asks for anything, lowest first. */
export function createCeilings({ settings, quotas }: Deployment): Ceiling[] {
  const { shards, idsPerLease, tableCeiling } = settings;
  const tableUnits = Math.min(tableCeiling.writeUnits, quotas.tableUnits);
  return lowestFirst([
    ...frontDoor({ settings, quotas }, requestMs),
    { name: 'counter', requestsPerSecond: partitionLimits.write * idsPerLease },
    { name: 'shards', requestsPerSecond: partitionLimits.write * shards },
    { name: 'units of the table', requestsPerSecond: tableUnits / (1 + 1 / idsPerLease) },
    { name: 'units of the index', requestsPerSecond: tableUnits },
  ]);
}

export type List = { status?: 'available'; limit: number };

/** Read units of a list: half a unit for each shard asked and 4 KB begun. */
export function listUnits(list: List, settings: StageSettings): number {
  return listKeys(list, settings).length * unitsOfQuery(list.limit);
}

/** What each limit leaves of a list of the first page, lowest first. */
export function listCeilings(list: List, { settings, quotas }: Deployment): Ceiling[] {
  const queries = listKeys(list, settings).length;
  const queryUnits = unitsOfQuery(list.limit);
  const indexUnits = Math.min(settings.tableCeiling.readUnits, quotas.tableUnits);
  return lowestFirst([
    ...frontDoor({ settings, quotas }, listMs(queries)),
    { name: 'first partition', requestsPerSecond: partitionLimits.read / queryUnits },
    { name: 'units of the index', requestsPerSecond: indexUnits / (queries * queryUnits) },
  ]);
}

function unitsOfQuery(pets: number): number {
  return Math.ceil((pets * petBytes) / 4096) / 2;
}

/** Of what is reached before the database. */
export const frontDoorNames = ['throttle', 'API Gateway', 'Lambda'];

function frontDoor({ settings, quotas }: Deployment, durationMs: number): Ceiling[] {
  const perConcurrency = Math.min(requestsPerConcurrency, 1_000 / durationMs);
  const ceilings = [
    settings.throttle.requestsPerSecond,
    quotas.gatewayRequests,
    quotas.lambdaConcurrency * perConcurrency,
  ];
  return frontDoorNames.map((name, n) => ({ name, requestsPerSecond: ceilings[n] ?? 0 }));
}

function lowestFirst(ceilings: Ceiling[]): Ceiling[] {
  return ceilings.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond);
}
