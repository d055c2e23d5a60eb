import { throttleOf } from '../../../infra/apiMethods.ts';
import type { Stage } from '../../../infra/stages.ts';
import type { OperationName } from '../../../lib/operations.ts';
import { petStatuses } from '../../../lib/schemas.ts';
import { networkMs } from '../cost/assumptions.ts';
import { timesOf } from '../cost/requestTimes.ts';
import type { MeasuredOperation } from '../requests.ts';

// The limits and assumptions are explained in docs/scaling.md.

/** The capacity of one partition of DynamoDB, in units a second. */
const partitionLimits = { read: 3_000, write: 1_000 } as const;

/** The default quotas. A new account may have less. AWS raises each of them on request. */
export const defaultQuotas = {
  /** Units a second of a table, and as many of each of its indexes. */
  tableUnits: 40_000,
  gatewayRequests: 10_000,
  lambdaConcurrency: 1_000,
};

type Quotas = typeof defaultQuotas;

/** Requests a second that Lambda takes for each unit of concurrency, however short they are. */
const requestsPerConcurrency = 10;

/** Assumed, not measured on AWS: the time that each further query adds to a request. */
const queryMs = 0.6;

/** The size of a pet in the table, and of its entry in the index, as DynamoDB counts bytes. */
export const petBytes = 120;

/** The settings of a stage that limit its rates or decide its costs. */
export type StageSettings = Pick<
  Stage,
  'shards' | 'idsPerLease' | 'tableCeiling' | 'throttle' | 'memoryMb' | 'tracedShare' | 'firewall'
>;

export type Deployment = { settings: StageSettings; quotas: Quotas };

export type Ceiling = { name: string; requestsPerSecond: number };

/** The requests that each limit allows if createPet is the only traffic, lowest first. */
export function createCeilings({ settings, quotas }: Deployment): Ceiling[] {
  const { shards, idsPerLease, tableCeiling } = settings;
  const tableUnits = Math.min(tableCeiling.writeUnits, quotas.tableUnits);
  return lowestFirst([
    ...frontDoor('createPet', { settings, quotas }, requestMs('createPet', settings)),
    { name: 'counter', requestsPerSecond: partitionLimits.write * idsPerLease },
    { name: 'shards', requestsPerSecond: partitionLimits.write * shards },
    { name: 'units of the table', requestsPerSecond: tableUnits / (1 + 1 / idsPerLease) },
    { name: 'units of the index', requestsPerSecond: tableUnits },
  ]);
}

export type List = { status?: 'available'; limit: 20 | 100 };

/** The requests that each limit allows if the first page of a list is the only traffic, lowest first. */
export function listCeilings(list: List, { settings, quotas }: Deployment): Ceiling[] {
  const indexUnits = Math.min(settings.tableCeiling.readUnits, quotas.tableUnits);
  return lowestFirst([
    ...frontDoor('listPets', { settings, quotas }, listMs(list, settings)),
    { name: 'first partition', requestsPerSecond: partitionLimits.read / queryUnits(list) },
    { name: 'units of the index', requestsPerSecond: indexUnits / listUnits(list, settings) },
  ]);
}

/** A list queries each shard of each of its statuses. */
export function listQueries({ status }: List, { shards }: Pick<Stage, 'shards'>): number {
  return shards * (status ? 1 : petStatuses.length);
}

/** Read units: half a unit for each query and each 4 KB begun. */
export function listUnits(list: List, settings: StageSettings): number {
  return listQueries(list, settings) * queryUnits(list);
}

function queryUnits({ limit }: List): number {
  return Math.ceil((limit * petBytes) / 4_096) / 2;
}

/** The time of a request in its function. A list of 100 pets stands for all lists. */
export function requestMs(
  operation: MeasuredOperation,
  { memoryMb }: Pick<Stage, 'memoryMb'>,
): number {
  return timesOf(operation, memoryMb).warmMs + networkMs;
}

/** The queries run at the same time, and their responses are processed one after the other. */
export function listMs(list: List, settings: StageSettings): number {
  return requestMs('listPets', settings) + queryMs * (listQueries(list, settings) - 1);
}

/** The limits of a request before it reaches the database. */
function frontDoor(
  operation: OperationName,
  { settings, quotas }: Deployment,
  durationMs: number,
): Ceiling[] {
  const perConcurrency = Math.min(requestsPerConcurrency, 1_000 / durationMs);
  return [
    { name: 'throttle', requestsPerSecond: throttleOf(operation, settings).requestsPerSecond },
    { name: 'API Gateway', requestsPerSecond: quotas.gatewayRequests },
    { name: 'Lambda', requestsPerSecond: quotas.lambdaConcurrency * perConcurrency },
  ];
}

function lowestFirst(ceilings: Ceiling[]): Ceiling[] {
  return ceilings.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond);
}

/** No limit is used beyond this share, because rates are means and seconds differ. */
const targetShare = 0.7;

/** For each request to an operation that its limit allows: a list, or a create of the largest pet. */
const readUnitsPerRequest = 40;
const writeUnitsPerRequest = 4;

/** The settings and quotas for this many creates a second, all of one status. */
export function deploymentFor(createsPerSecond: number, current: StageSettings): Deployment {
  const partitions = Math.ceil(createsPerSecond / (targetShare * partitionLimits.write));
  const { throttle, tableCeiling } = current;
  // The stage's figure whose share for createPet is enough.
  const createShare =
    throttleOf('createPet', current).requestsPerSecond / throttle.requestsPerSecond;
  const wanted = createsPerSecond / targetShare / createShare;
  const requestsPerSecond = raise(throttle.requestsPerSecond, wanted, 1_000);
  const operationRate = createShare * requestsPerSecond;
  const readUnits = Math.max(tableCeiling.readUnits, readUnitsPerRequest * operationRate);
  const writeUnits = Math.max(tableCeiling.writeUnits, writeUnitsPerRequest * operationRate);
  const { tableUnits, gatewayRequests, lambdaConcurrency } = defaultQuotas;
  const concurrency = requestsPerSecond / requestsPerConcurrency;
  return {
    settings: {
      ...current,
      shards: Math.max(current.shards, partitions),
      idsPerLease: Math.max(current.idsPerLease, partitions),
      throttle: { requestsPerSecond, burstRequests: 2 * requestsPerSecond },
      tableCeiling: { readUnits, writeUnits },
    },
    quotas: {
      tableUnits: raise(tableUnits, readUnits, 1_000),
      gatewayRequests: raise(gatewayRequests, requestsPerSecond, 1_000),
      lambdaConcurrency: raise(lambdaConcurrency, concurrency, 1_000),
    },
  };
}

/** Raises a value to what is wanted, in whole steps. */
function raise(value: number, wanted: number, step: number): number {
  return Math.max(value, Math.ceil(wanted / step) * step);
}
