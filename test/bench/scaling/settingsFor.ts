import type { ShardSettings } from './accessPattern.ts';
import {
  defaultQuotas,
  partitionLimits,
  type Quotas,
  requestsPerConcurrency,
} from './awsLimits.ts';
import { createMs } from './ceilings.ts';

/** Nothing is used beyond this share of what it can give: rates are means, and seconds differ. */
const targetShare = 0.7;

export type Deployment = { settings: ShardSettings; quotas: Quotas };

/** The settings and quotas that carry so many creates a second, all of one status. */
export function settingsFor(createsPerSecond: number, current: ShardSettings): Deployment {
  const partitions = Math.ceil(createsPerSecond / (targetShare * partitionLimits.write));
  const settings = {
    shards: Math.max(current.shards, partitions),
    idsPerLease: Math.max(current.idsPerLease, partitions),
  };
  const wanted = createsPerSecond / targetShare;
  const perConcurrency = Math.min(requestsPerConcurrency, 1_000 / createMs(settings));
  return {
    settings,
    quotas: {
      tableUnits: raised(defaultQuotas.tableUnits, wanted * (1 + 1 / settings.idsPerLease)),
      gatewayRequests: raised(defaultQuotas.gatewayRequests, wanted),
      lambdaConcurrency: raised(defaultQuotas.lambdaConcurrency, wanted / perConcurrency),
    },
  };
}

/** A quota is asked for in whole thousands. */
function raised(quota: number, wanted: number): number {
  return Math.max(quota, Math.ceil(wanted / 1_000) * 1_000);
}
