import * as z from 'zod/mini';

const nonEmptyText = z.string().check(z.minLength(1));

const shardCount = z.pipe(z.string().check(z.regex(/^[1-9]\d{0,2}$/)), z.transform(Number));

const Environment = z.object({
  STAGE: nonEmptyText,
  PETS_TABLE: nonEmptyText,
  API_KEYS_TABLE: nonEmptyText,
  IDEMPOTENCY_TABLE: nonEmptyText,
  SHARDS: shardCount,
  WRITE_SHARDS: shardCount,
  IDS_PER_LEASE: z.pipe(
    z.string().check(z.regex(/^[1-9]\d{0,3}$/)),
    z.transform((digits: string) => BigInt(digits)),
  ),
  LOG_LEVEL: z._default(z.enum(['INFO', 'WARN', 'ERROR', 'SILENT']), 'INFO'),
  /** `off` for local runs: the metrics are only for CloudWatch. */
  METRICS: z._default(z.enum(['on', 'off']), 'on'),
  /** The last commit that changed the functions. Set only on AWS. */
  RELEASE: z.optional(z.string()),
  /** Origins of pages that may call the service, separated by spaces. */
  CORS_ORIGINS: z.optional(nonEmptyText),
  /** Set by Lambda. */
  AWS_LAMBDA_FUNCTION_VERSION: z._default(z.string(), 'none'),
});

/** The environment variables of a function. `infra/constructs/functionEnvironment.ts` sets them. */
export type Environment = z.input<typeof Environment>;

function readConfig(environment: NodeJS.ProcessEnv) {
  const { data, error } = Environment.safeParse(environment);
  if (!data) {
    const faults = error.issues.map(({ path, message }) => `${path}: ${message}`);
    throw new Error(`The function's environment is incomplete or invalid. ${faults.join('; ')}`);
  }
  return {
    stage: data.STAGE,
    petsTableName: data.PETS_TABLE,
    apiKeysTableName: data.API_KEYS_TABLE,
    idempotencyTableName: data.IDEMPOTENCY_TABLE,
    shards: data.SHARDS,
    writeShards: data.WRITE_SHARDS,
    idsPerLease: data.IDS_PER_LEASE,
    logLevel: data.LOG_LEVEL,
    hasMetrics: data.METRICS === 'on',
    release: data.RELEASE,
    corsOrigins: data.CORS_ORIGINS?.split(' '),
    functionVersion: data.AWS_LAMBDA_FUNCTION_VERSION,
  };
}

/** Read when the module loads, so that a function with a missing setting fails at its start. */
export const config = readConfig(process.env);
