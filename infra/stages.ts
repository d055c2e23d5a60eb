// The settings of all deployments. A fork edits this file only.

/** An AWS account and Region. */
export type Account = {
  /** 12 digits: a deployment to another account fails. Absent: the account of the deploying credentials. */
  id?: string;
  /**
   * Whether API Gateway has a role that writes logs: `aws apigateway get-account` shows it as
   * `cloudwatchRoleArn`. If not, the stack `PetStore-account` adds the role.
   */
  hasApiGatewayLogRole: boolean;
  /**
   * The GitHub repository whose workflows deploy: `owner@id/name@id`, or `owner/name`. It needs an `id`,
   * and an account for each stage: what deploys staging may do anything in its account.
   */
  githubRepository?: string;
};

/** A domain that replaces API Gateway's own address. */
export type CustomDomain = {
  name: string;
  /** A certificate in the Region of the stack. */
  certificateArn: string;
  /** The Route 53 zone for the DNS records. Without it, records are created by hand. */
  hostedZone?: { id: string; name: string };
};

/** The settings of one deployment. Every value is a deliberate choice: there are no defaults. */
export type Stage = {
  /** The API Gateway stage, and the `<stage>` of its API keys. Letters, digits and `-`. */
  name: 'v1-production' | 'v1-staging';
  account: Account;
  /** The recipient of the alarms. A durable stage names an address, or the reason why it has none. */
  alarmRecipient?: { email: string } | { none: string };
  domain?: CustomDomain;
  /** The origins of web pages that may call the service: `https://app.example.com`. Absent: none. */
  corsOrigins?: readonly string[];
  /** Whether data survives mistakes: deletion protection, point-in-time recovery, retained tables. */
  isDurable: boolean;
  /** Index partitions per status that a list reads. May be raised on live data, never lowered. */
  shards: number;
  /** The number of shards that new pets go to. Raise it one deployment after `shards`: docs/scaling.md. */
  writeShards: number;
  /** Ids that an instance takes from the counter at once. More ids mean fewer writes and more gaps. */
  idsPerLease: number;
  /**
   * Lambda allocates CPU in proportion: 1769 MB is one full core.
   *
   * 512 MB is the knee of the measured curve in docs/performance.md. Less memory saves no money, and
   * more makes no cold start shorter.
   */
  memoryMb: number;
  /** The share of requests that X-Ray traces, 0 to 1. Each trace is billed. */
  tracedShare: number;
  /** How long the logs of the functions are kept. They contain no data of clients. */
  logRetentionDays: 30 | 365;
  /** How long the access log is kept. It contains the addresses of clients, which may be personal data. */
  accessLogRetentionDays: 1 | 7 | 14 | 30 | 60 | 90 | 180 | 365;
  /** How traffic shifts to a new version: 10 % for five minutes first, or all at once. */
  trafficShift: 'canary' | 'allAtOnce';
  /** Whether the stage may be deployed with the context `fault=on`, for the rollback drill. */
  allowsFault: boolean;
  /**
   * The rate of requests that API Gateway accepts, of all methods together. `throttleOf` in
   * `infra/apiMethods.ts` divides it. Above the limit of a method, its clients get 429.
   */
  throttle: { requestsPerSecond: number; burstRequests: number };
  /**
   * The units per second of each table, and separately of each index: a limit on the bill.
   * Above it clients get 503, so requests must reach `throttle` first.
   */
  tableCeiling: { readUnits: number; writeUnits: number };
  /**
   * API Gateway compresses responses of at least this size, if the client asks for gzip or deflate: 0 to
   * 10,485,760. Absent: never. Shorter responses would gain little or grow.
   */
  minimumCompressionBytes?: number;
  /** The firewall in front of the API. Above its limit, clients get 429. Absent: no firewall. */
  firewall?: { requestsPerMinuteAndAddress: number };
  /** The budget of a month. The operators are notified before the stage costs more. */
  monthlyBudgetUsd: number;
  /** How long a daily backup is kept. Absent: no backups. */
  backupRetentionDays?: number;
};

/** The account of both stages. Replacing a role that other APIs use would stop their logs. */
const account: Account = { hasApiGatewayLogRole: true };

export const stages: readonly Stage[] = [
  {
    name: 'v1-production',
    account,
    alarmRecipient: { none: 'This repository has no operators. A fork names its own.' },
    isDurable: true,
    shards: 1,
    writeShards: 1,
    idsPerLease: 10,
    memoryMb: 512,
    tracedShare: 0.001,
    logRetentionDays: 365,
    accessLogRetentionDays: 90,
    trafficShift: 'canary',
    allowsFault: false,
    minimumCompressionBytes: 1024,
    throttle: { requestsPerSecond: 500, burstRequests: 1000 },
    // For the 150 requests a second of an operation. Each list may take 40 reads: a page of 100 typical
    // pets takes 4.5. Each create may take 13 writes: the largest pet and its id take 3.
    tableCeiling: { readUnits: 6000, writeUnits: 2000 },
    // 100 a second: two thirds of an operation's limit.
    firewall: { requestsPerMinuteAndAddress: 6000 },
    monthlyBudgetUsd: 100,
    backupRetentionDays: 35,
  },
  {
    name: 'v1-staging',
    account,
    isDurable: false,
    shards: 1,
    writeShards: 1,
    idsPerLease: 1,
    memoryMb: 512,
    tracedShare: 0.01,
    logRetentionDays: 30,
    accessLogRetentionDays: 30,
    trafficShift: 'allAtOnce',
    allowsFault: true,
    minimumCompressionBytes: 1024,
    // The smoke test sends 120 creates in 3 s, and 7 requests at once to one method of the fallback.
    throttle: { requestsPerSecond: 150, burstRequests: 900 },
    tableCeiling: { readUnits: 600, writeUnits: 200 },
    monthlyBudgetUsd: 20,
  },
];

/** The stack with the log role of an account and Region. */
export const accountStackName = 'PetStore-account';

/** The stack with the roles of the pipeline, one in each account. */
export const pipelineStackName = 'PetStore-pipeline';

/** The CloudFormation stack of a stage. */
export function stackName(stageName: string): string {
  return `PetStore-${stageName}`;
}

/** The CDK environment of an account. Its Region is that of the deploying credentials. */
export function environmentOf({ id }: Account): { account?: string } {
  return id ? { account: id } : {};
}

/** The outputs of a stack, which the tools read. */
export const outputNames = {
  baseAddress: 'BaseAddress',
  petsTable: 'PetsTableName',
  apiKeysTable: 'ApiKeysTableName',
  idempotencyTable: 'IdempotencyTableName',
} as const;

/** An additional output of a stage with a custom domain: the target of its DNS record. */
export const domainTargetOutput = 'DomainTarget';
