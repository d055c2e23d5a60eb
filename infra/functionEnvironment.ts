import type { Environment } from '../lib/config.ts';

export type TableNames = { pets: string; apiKeys: string; idempotency: string };

type FunctionSettings = {
  stage: string;
  tableNames: TableNames;
  shards: number;
  /** Whether every request shall fail, see `faultInjected`. */
  hasFault?: boolean;
};

/** The environment that `lib/config.ts` reads in a function, on AWS and locally alike. */
export function functionEnvironment({
  stage,
  tableNames,
  shards,
  hasFault = false,
}: FunctionSettings) {
  return {
    STAGE: stage,
    PETS_TABLE: tableNames.pets,
    API_KEYS_TABLE: tableNames.apiKeys,
    IDEMPOTENCY_TABLE: tableNames.idempotency,
    SHARDS: String(shards),
    FAULT: hasFault ? 'on' : 'off',
  } satisfies Environment;
}
