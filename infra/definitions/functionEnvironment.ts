import type { Environment } from '../../lib/config.ts';
import type { TableName } from '../../lib/dynamodb/tables.ts';

type FunctionSettings = {
  stage: string;
  tableNames: Record<TableName, string>;
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
  idsPerLease,
  corsOrigins = [],
  databaseTimeoutMs,
}: FunctionSettings) {
  return {
    STAGE: stage,
    PETS_TABLE: tableNames.pets,
    API_KEYS_TABLE: tableNames.apiKeys,
    IDEMPOTENCY_TABLE: tableNames.idempotency,
    IDS_PER_LEASE: String(idsPerLease),
    ...(databaseTimeoutMs && { DATABASE_TIMEOUT_MS: String(databaseTimeoutMs) }),
    ...(corsOrigins.length > 0 && { CORS_ORIGINS: corsOrigins.join(' ') }),
  } satisfies Environment;
}
