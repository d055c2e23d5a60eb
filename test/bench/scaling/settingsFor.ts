import { defaultQuotas, partitionLimits, requestsPerConcurrency } from './awsLimits.ts';
import type { Deployment, StageSettings } from './ceilings.ts';

/** Nothing is used beyond this share of what it can give: rates are means, and seconds differ. */
const targetShare = 0.7;

/** For each request of the throttle, as `infra/stages.ts` reckons. */
const readUnitsPerRequest = 12;
const writeUnitsPerRequest = 4;

/** The settings and quotas that carry so many creates a second, all of one status. */
export function settingsFor(createsPerSecond: number, current: StageSettings): Deployment {
  const partitions = Math.ceil(createsPerSecond / (targetShare * partitionLimits.write));
  const { throttle, tableCeiling } = current;
  const requestsPerSecond = raised(throttle.requestsPerSecond, createsPerSecond / targetShare, 100);
  const settings = {
    ...current,
    shards: Math.max(current.shards, partitions),
    idsPerLease: Math.max(current.idsPerLease, partitions),
    throttle: { requestsPerSecond, burstRequests: 2 * requestsPerSecond },
    tableCeiling: {
      readUnits: Math.max(tableCeiling.readUnits, readUnitsPerRequest * requestsPerSecond),
      writeUnits: Math.max(tableCeiling.writeUnits, writeUnitsPerRequest * requestsPerSecond),
    },
  };
  const quotas = {
    tableUnits: raised(defaultQuotas.tableUnits, settings.tableCeiling.readUnits, 1_000),
    gatewayRequests: raised(defaultQuotas.gatewayRequests, requestsPerSecond, 1_000),
    lambdaConcurrency: raised(
      defaultQuotas.lambdaConcurrency,
      requestsPerSecond / requestsPerConcurrency,
      1_000,
    ),
  };
  return { settings, quotas };
}

/** Raised to what is wanted, in whole steps. */
function raised(value: number, wanted: number, step: number): number {
  return Math.max(value, Math.ceil(wanted / step) * step);
}
