import { listKeys, type ShardSettings } from './accessPattern.ts';
import {
  callMs,
  codeMs,
  partitionLimits,
  petBytes,
  type Quotas,
  queryMs,
  requestsPerConcurrency,
} from './awsLimits.ts';

export type Ceiling = { name: string; requestsPerSecond: number };

/** How long a createPet takes on average: the pet's write, and its share of a lease's. */
export function createMs({ idsPerLease }: ShardSettings): number {
  return codeMs + callMs * (1 + 1 / idsPerLease);
}

/** How long a list takes: its queries wait together, and are worked on one after the other. */
export function listMs(queries: number): number {
  return codeMs + callMs + queryMs * queries;
}

/** What each limit leaves of createPet where nothing else asks for anything, lowest first. */
export function createCeilings(settings: ShardSettings, quotas: Quotas): Ceiling[] {
  const { shards, idsPerLease } = settings;
  return lowestFirst([
    ...frontDoor(quotas, createMs(settings)),
    { name: 'counter', requestsPerSecond: partitionLimits.write * idsPerLease },
    { name: 'shards', requestsPerSecond: partitionLimits.write * shards },
    { name: 'table quota', requestsPerSecond: quotas.tableUnits / (1 + 1 / idsPerLease) },
    { name: 'index quota', requestsPerSecond: quotas.tableUnits },
  ]);
}

export type List = { status?: 'available'; limit: number };

/** Read units of a list: half a unit for each shard asked and 4 KB begun. */
export function listUnits(list: List, settings: ShardSettings): number {
  return listKeys(list, settings).length * unitsOfQuery(list.limit);
}

/** What each limit leaves of a list of the first page, lowest first. */
export function listCeilings(list: List, settings: ShardSettings, quotas: Quotas): Ceiling[] {
  const queries = listKeys(list, settings).length;
  const queryUnits = unitsOfQuery(list.limit);
  return lowestFirst([
    ...frontDoor(quotas, listMs(queries)),
    { name: 'first partition', requestsPerSecond: partitionLimits.read / queryUnits },
    { name: 'index quota', requestsPerSecond: quotas.tableUnits / (queries * queryUnits) },
  ]);
}

function unitsOfQuery(pets: number): number {
  return Math.ceil((pets * petBytes) / 4096) / 2;
}

function frontDoor({ gatewayRequests, lambdaConcurrency }: Quotas, durationMs: number): Ceiling[] {
  const perConcurrency = Math.min(requestsPerConcurrency, 1_000 / durationMs);
  return [
    { name: 'API Gateway', requestsPerSecond: gatewayRequests },
    { name: 'Lambda', requestsPerSecond: lambdaConcurrency * perConcurrency },
  ];
}

function lowestFirst(ceilings: Ceiling[]): Ceiling[] {
  return ceilings.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond);
}
