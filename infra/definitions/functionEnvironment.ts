import type { Environment } from '../../lib/config.ts';

type TableNames = { pets: string; apiKeys: string; idempotency: string };

type FunctionSettings = {
  stage: string;
  tableNames: TableNames;
  shards: number;
  /** The number of shards that new pets are written to. Default: all. */
  writeShards?: number;
  idsPerLease: number;
  /** The origins of pages that may call the service. */
  corsOrigins?: readonly string[] | undefined;
  /** For a database that is not next to its functions. */
  databaseTimeoutMs?: number;
};

/** Returns the environment that `lib/config.ts` reads in a function, on AWS and locally. */
export function functionEnvironment({
  stage,
  tableNames,
  shards,
  writeShards = shards,
  idsPerLease,
  corsOrigins = [],
  databaseTimeoutMs,
}: FunctionSettings) {
  return {
    STAGE: stage,
    PETS_TABLE: tableNames.pets,
    API_KEYS_TABLE: tableNames.apiKeys,
    IDEMPOTENCY_TABLE: tableNames.idempotency,
    SHARDS: String(shards),
    WRITE_SHARDS: String(writeShards),
    IDS_PER_LEASE: String(idsPerLease),
    ...(databaseTimeoutMs && { DATABASE_TIMEOUT_MS: String(databaseTimeoutMs) }),
    ...(corsOrigins.length > 0 && { CORS_ORIGINS: corsOrigins.join(' ') }),
  } satisfies Environment;
}
