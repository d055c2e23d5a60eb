import * as z from 'zod';

// The settings of one deployment: first those of the core, then a block for each part, with the rule
// that the part demands of other settings. Every value is a deliberate choice: there are no
// defaults. What the CDK or CloudFormation refuses anyway is not checked here again.

/** `v1-production`, or `v1-<name>` of a sandbox. A stage `v1-staging-tables` would have the stack of staging's tables. */
export const StageName = z
  .string()
  .regex(
    /^v1-(?!-)[a-z\d-]{1,37}(?<!-|-tables)$/,
    'Use v1- and up to 37 lower-case letters, digits or hyphens, with no hyphen at their ends, and without -tables.',
  );

/** An AWS account and Region. */
const Account = z.strictObject({
  /** A deployment to another account fails. Absent: the account of the deploying credentials. */
  id: z.string().optional(),
  /** A deployment goes to this Region only. Absent: the Region of the deploying credentials. */
  region: z.string().optional(),
});

const core = {
  /** The API Gateway stage, and the `<stage>` of its API keys. */
  name: StageName,
  account: Account,
  /** Whether data survives mistakes: protected and retained tables, and recovery of API keys too. */
  isDurable: z.boolean(),
  /**
   * Ids that an instance takes from the counter at once. With 10, nine of ten creates save a write, and each
   * instance may leave a gap of 9 ids.
   */
  idsPerLease: z.int().min(1).max(9999),
  /**
   * Lambda allocates CPU in proportion: 1769 MB is one full core. More memory makes cold starts shorter, and
   * each millisecond more expensive. `npm run bench` measures cold starts with 512 MB and with a full core.
   */
  memoryMb: z.number(),
  /** How long the logs of the functions are kept, in days. They contain no addresses of clients. */
  logRetentionDays: z.literal([30, 365]),
  /**
   * How long the access log is kept, in days. It contains the addresses of clients, which may be personal data.
   * With `none`, the stack does not set the role with which API Gateway writes logs.
   */
  accessLogRetentionDays: z.literal(['none', 1, 7, 14, 30, 60, 90, 180, 365]),
  /**
   * The rate of requests that API Gateway accepts for each operation. Above it, clients get 429.
   *
   * Preflights have the same limit. HEAD and each method of the fallback have a tenth: see
   * `fallbackThrottleShare`.
   */
  operationThrottle: z.strictObject({
    requestsPerSecond: z.int().min(10),
    burstRequests: z.int().min(10),
  }),
  /**
   * The units a second of each table, and separately of each index: a limit on the bill. Above it,
   * clients get 503, so a test demands that it is enough for every operation at its limit.
   */
  tableCeiling: z.strictObject({ readUnits: z.number(), writeUnits: z.number() }),
  /**
   * The origins of web pages that may call the service. Absent: none.
   *
   * If you remove all origins, preflights keep their old response until a deployment changes something else in
   * the API.
   */
  corsOrigins: z
    .array(z.string().refine(isOrigin, 'Use an origin such as https://app.example.com.'))
    .optional(),
};

/** The settings without those of the parts. A sandbox has only these. */
export const CoreSettings = z.object(core);

// Domain

const domain = {
  /**
   * A domain that clients use instead of API Gateway's own address, which stays open.
   *
   * Without a domain, clients lose their address for ever if the stack is deleted.
   */
  domain: z
    .strictObject({
      name: z.string(),
      /** A certificate in the Region of the stack. */
      certificateArn: z.string(),
      /** The Route 53 zone for the DNS records. Without it, records are created by hand. */
      hostedZone: z.strictObject({ id: z.string(), name: z.string() }).optional(),
    })
    .optional(),
};

// Firewall

const firewall = {
  /** The firewall in front of the API. Above one of its limits, clients get 429. Absent: no firewall. */
  firewall: z
    .strictObject({
      requestsPerMinuteAndAddress: z.number(),
      /** Over all addresses. Counted by the header `Authorization`, valid or not. */
      requestsPerMinuteAndApiKey: z.number(),
    })
    .optional(),
};

function checkFirewall(stage: Stage, addFault: AddFault): void {
  const most = stage.operationThrottle.requestsPerSecond * 60;
  for (const [name, limit] of Object.entries(stage.firewall ?? {})) {
    if (limit > most) {
      addFault(
        `firewall.${name}`,
        `Use at most ${most}, the rate of an operation: one client could use all of it.`,
      );
    }
  }
}

// Monitoring

const monitoring = {
  /** Alarms, a dashboard and a heartbeat. Absent: none of them, and releases are not monitored. */
  monitoring: z
    .strictObject({
      /** A mailbox, a pager, or the reason for no recipient. Without it, the CDK warns of a durable stage. */
      recipient: z
        .union([
          z.strictObject({ email: z.email() }),
          z.strictObject({ https: z.url({ protocol: /^https$/, error: 'Use an https address.' }) }),
          z.strictObject({ none: z.string().trim().min(1, 'Say why no alarm is mailed.') }),
        ])
        .optional(),
    })
    .optional(),
};

function checkMonitoring(stage: Stage, addFault: AddFault): void {
  if (stage.monitoring && stage.accessLogRetentionDays === 'none') {
    addFault('accessLogRetentionDays', 'Use a number of days: alarms count responses in this log.');
  }
}

// Pipeline

const pipeline = {
  /** The GitHub repository whose workflows deploy the stage, as docs/deployment.md#the-pipeline says. */
  githubRepository: z
    .string()
    .regex(/^[\w.-]+(@\d+\/[\w.-]+@\d+|\/[\w.-]+)$/, 'Use owner/name, or owner@id/name@id.')
    .optional(),
};

/** A pipeline may do anything in its account, so the jobs of one stage must not reach another. */
function checkPipeline(stage: Stage, addFault: AddFault, others: readonly Stage[]): void {
  if (!stage.githubRepository) return;
  if (!stage.account.id) {
    addFault('account.id', 'Name the account that githubRepository deploys to.');
  }
  const other = others.find(({ account }) => account.id === stage.account.id);
  if (other) {
    addFault(
      'account.id',
      `Use another account than ${other.name}: with githubRepository, each stage needs its own.`,
    );
  }
}

const Stage = z.strictObject({
  ...core,
  ...domain,
  ...firewall,
  ...monitoring,
  ...pipeline,
});

export type Stage = z.output<typeof Stage>;

type AddFault = (setting: string, message: string) => void;

/** All deployments. */
const Stages = z.array(Stage).superRefine((stages, { addIssue }) => {
  for (const [index, stage] of stages.entries()) {
    const addFault: AddFault = (setting, message) =>
      addIssue({ code: 'custom', path: [index, ...setting.split('.')], message });
    checkFirewall(stage, addFault);
    checkMonitoring(stage, addFault);
    checkPipeline(stage, addFault, stages.toSpliced(index, 1));
  }
});

/** A setting or a stage name that no deployment may have. The message says what to change. */
export class SettingsError extends Error {}

/** Throws for settings that no deployment may have. */
export function checkStages(checked: readonly Stage[]): void {
  const { error } = Stages.safeParse(checked);
  if (!error) return;
  const faults = error.issues.map(({ path: [index, ...setting], message }) =>
    [checked[Number(index)]?.name, `${setting.join('.')}:`, message].join(' '),
  );
  throw new SettingsError(`infra/stages.ts has settings to change:\n${faults.join('\n')}`);
}

/** Returns whether a text is an origin exactly as browsers send it: `https://app.example.com`. */
export function isOrigin(text: string): boolean {
  const isWellFormed = /^https?:\/\/([\w.-]+|\[[\da-f:]+\])(:\d+)?$/.test(text);
  return isWellFormed && URL.canParse(text) && new URL(text).origin === text;
}

/** The CDK environment of an account. An absent value comes from the deploying credentials. */
export function environmentOf({ id, region }: Stage['account']): {
  account?: string;
  region?: string;
} {
  return { ...(id && { account: id }), ...(region && { region }) };
}
