import type { Environment } from '../lib/config.ts';

export type TableNames = { pets: string; apiKeys: string; idempotency: string };

type FunctionSettings = {
  stage: string;
  tableNames: TableNames;
  shards: number;
  idsPerLease: number;
  /** Whether every request shall fail, see `faultInjected`. */
  hasFault?: boolean;
};

/** The environment that `lib/config.ts` reads in a function, on AWS and locally alike. */
export function functionEnvironment({
  stage,
  tableNames,
  shards,
  idsPerLease,
  hasFault = false,
}: FunctionSettings) {
  return {
    STAGE: stage,
    PETS_TABLE: tableNames.pets,
    API_KEYS_TABLE: tableNames.apiKeys,
    IDEMPOTENCY_TABLE: tableNames.idempotency,
    SHARDS: String(shards),
    IDS_PER_LEASE: String(idsPerLease),
    FAULT: hasFault ? 'on' : 'off',
  } satisfies Environment;
}
