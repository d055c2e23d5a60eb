import type { Environment } from '../../lib/config.ts';
import { mapTables, type TableName, tableVariable } from '../../lib/dynamodb/tables.ts';

type FunctionSettings = {
  stage: string;
  tableNames: Record<TableName, string>;
  shards: number;
  /** The number of shards that new pets are written to. Default: all. */
  writeShards?: number;
  idsPerLease: number;
  /** The origins of pages that may call the service. */
  corsOrigins?: readonly string[] | undefined;
  /** Replaces the time-outs of a database attempt: see `lib/config.ts`. */
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
    ...Object.fromEntries(
      Object.values(mapTables((name) => [tableVariable(name), tableNames[name]])),
    ),
    SHARDS: String(shards),
    WRITE_SHARDS: String(writeShards),
    IDS_PER_LEASE: String(idsPerLease),
    ...(databaseTimeoutMs && { DATABASE_TIMEOUT_MS: String(databaseTimeoutMs) }),
    ...(corsOrigins.length > 0 && { CORS_ORIGINS: corsOrigins.join(' ') }),
  } satisfies Environment;
}
