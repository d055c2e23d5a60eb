import type { Environment } from '../lib/config.ts';

export type TableNames = { pets: string; apiKeys: string; idempotency: string };

type FunctionSettings = {
  stage: string;
  tableNames: TableNames;
  shards: number;
  /** To how many of the shards new pets go: to all of them, unless told. */
  writeShards?: number;
  idsPerLease: number;
  /** Whether every request shall fail, see `faultInjected`. */
  hasFault?: boolean;
};

/**
 * The environment that `lib/config.ts` reads in a function, on AWS and locally alike.
 *
 * Throws where pets would be written to shards that no list asks.
 */
export function functionEnvironment({
  stage,
  tableNames,
  shards,
  writeShards = shards,
  idsPerLease,
  hasFault = false,
}: FunctionSettings) {
  if (writeShards > shards) {
    throw new Error(`Pets in ${writeShards} shards cannot be listed from ${shards}.`);
  }
  return {
    STAGE: stage,
    PETS_TABLE: tableNames.pets,
    API_KEYS_TABLE: tableNames.apiKeys,
    IDEMPOTENCY_TABLE: tableNames.idempotency,
    SHARDS: String(shards),
    WRITE_SHARDS: String(writeShards),
    IDS_PER_LEASE: String(idsPerLease),
    FAULT: hasFault ? 'on' : 'off',
  } satisfies Environment;
}
