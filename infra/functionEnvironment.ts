import type { Environment } from '../lib/config.ts';

export type FunctionSettings = {
  stage: string;
  petsTableName: string;
  apiKeysTableName: string;
  shards: number;
};

/** The environment that `lib/config.ts` reads in a function, on AWS and locally alike. */
export function functionEnvironment(settings: FunctionSettings) {
  return {
    STAGE: settings.stage,
    PETS_TABLE: settings.petsTableName,
    API_KEYS_TABLE: settings.apiKeysTableName,
    SHARDS: String(settings.shards),
  } satisfies Environment;
}
