import * as z from 'zod/mini';
import { mapTables, type TableName } from './tables.ts';

/** How long the parts of the service may take. An outer part waits longer than the parts inside it. */
export const timeouts = {
  /** For each attempt of a call. By default, the SDK has no time-outs. */
  databaseConnectionMs: 500,
  /** For each pause in a call, such as the wait for its response. */
  databaseResponseMs: 1_500,
  /** Three attempts of up to 2 s end within the 9.75 s that a request has. */
  databaseAttempts: 3,
  /** All calls of a request end this long before Lambda ends the function, so there is time for a 503. */
  earlyResponseMs: 250,
  functionSeconds: 10,
  integrationSeconds: 12,
} as const;

export const logLevels = ['INFO', 'WARN', 'ERROR', 'SILENT'] as const;

const nonEmptyText = z.string().check(z.minLength(1));

/** The variable with the physical name of a table: `API_KEYS_TABLE`. */
function tableVariable(name: TableName) {
  return `${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}_TABLE` as const;
}

function mapTableVariables<Value>(toValue: (name: TableName) => Value) {
  const variables = mapTables((name) => [tableVariable(name), toValue(name)]);
  return Object.fromEntries(Object.values(variables)) as Record<`${string}_TABLE`, Value>;
}

const Environment = z.object({
  ...mapTableVariables(() => nonEmptyText),
  STAGE: nonEmptyText,
  IDS_PER_LEASE: z.string().check(z.regex(/^[1-9]\d{0,3}$/)),
  LOG_LEVEL: z._default(z.enum(logLevels), 'INFO'),
  /** The hash of the function's bundle. Set only on AWS. */
  RELEASE: z.optional(z.string()),
  /** Origins of pages that may call the service, separated by spaces. */
  CORS_ORIGINS: z.optional(nonEmptyText),
  /** Set by Lambda. */
  AWS_LAMBDA_FUNCTION_VERSION: z.optional(z.string()),
});

type FunctionSettings = {
  stage: string;
  tableNames: Record<TableName, string>;
  idsPerLease: number;
  /** The origins of pages that may call the service. */
  corsOrigins?: readonly string[] | undefined;
};

export function functionEnvironment({
  stage,
  tableNames,
  idsPerLease,
  corsOrigins = [],
}: FunctionSettings) {
  return {
    STAGE: stage,
    ...mapTableVariables((name) => tableNames[name]),
    IDS_PER_LEASE: String(idsPerLease),
    ...(corsOrigins.length > 0 && { CORS_ORIGINS: corsOrigins.join(' ') }),
  } satisfies z.input<typeof Environment>;
}

function readConfig(environment: NodeJS.ProcessEnv) {
  const { data, error } = Environment.safeParse(environment);
  if (!data) {
    const faults = error.issues.map(({ path, message }) => `${path}: ${message}`);
    throw new Error(`The function's environment is incomplete or invalid. ${faults.join('; ')}`);
  }
  return {
    stage: data.STAGE,
    // Each is a text, because `Environment` has its variable.
    tableNames: mapTables((name) => environment[tableVariable(name)] as string),
    idsPerLease: BigInt(data.IDS_PER_LEASE),
    logLevel: data.LOG_LEVEL,
    release: data.RELEASE,
    corsOrigins: data.CORS_ORIGINS?.split(' '),
    functionVersion: data.AWS_LAMBDA_FUNCTION_VERSION,
  };
}

let settings: ReturnType<typeof readConfig> | undefined;

/** Returns the settings of the function. Throws an error that names each missing or invalid variable. */
export function config() {
  settings ??= readConfig(process.env);
  return settings;
}
