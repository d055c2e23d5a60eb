import * as z from 'zod';

const shardCount = z
  .string()
  .regex(/^[1-9]\d{0,2}$/)
  .transform(Number);

const Environment = z.object({
  STAGE: z.string().min(1),
  PETS_TABLE: z.string().min(1),
  API_KEYS_TABLE: z.string().min(1),
  IDEMPOTENCY_TABLE: z.string().min(1),
  SHARDS: shardCount,
  WRITTEN_SHARDS: shardCount,
  IDS_PER_LEASE: z
    .string()
    .regex(/^[1-9]\d{0,3}$/)
    .transform(BigInt),
  LOG_LEVEL: z.enum(['INFO', 'WARN', 'ERROR', 'SILENT']).default('INFO'),
  /** `on` fails every request, see `faultInjected`. */
  FAULT: z.enum(['off', 'on']).default('off'),
  /** Set by Lambda. */
  AWS_LAMBDA_FUNCTION_VERSION: z.string().default('none'),
});

/** The environment of a function, which `infra` sets. */
export type Environment = z.input<typeof Environment>;

function readConfig(environment: NodeJS.ProcessEnv) {
  const { data, error } = Environment.safeParse(environment);
  if (!data) {
    const faults = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new Error(`The function's environment is incomplete. ${faults.join('; ')}`);
  }
  return {
    stage: data.STAGE,
    petsTableName: data.PETS_TABLE,
    apiKeysTableName: data.API_KEYS_TABLE,
    idempotencyTableName: data.IDEMPOTENCY_TABLE,
    shards: data.SHARDS,
    writtenShards: data.WRITTEN_SHARDS,
    idsPerLease: data.IDS_PER_LEASE,
    logLevel: data.LOG_LEVEL,
    hasFault: data.FAULT === 'on',
    functionVersion: data.AWS_LAMBDA_FUNCTION_VERSION,
  };
}

/** Read once, when the module loads, so that a function with a missing setting fails at its start. */
export const config = readConfig(process.env);
