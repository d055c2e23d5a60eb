/** The settings of one deployment. Every value is a deliberate choice: there are no defaults. */
export type Stage = {
  /** The API Gateway stage, and the `<stage>` of its API keys. Letters, digits and `-`. */
  name: 'v1-production' | 'v1-staging';
  /** Whether data survives mistakes: deletion protection, point-in-time recovery, retained tables. */
  isDurable: boolean;
  /** Index partitions per status that a list reads. May be raised on live data, never lowered. */
  shards: number;
  /** The number of shards that new pets go to. Raise it one deployment after `shards`: docs/scaling.md. */
  writeShards: number;
  /** Ids that an instance takes from the counter at once. More ids mean fewer writes and more gaps. */
  idsPerLease: number;
  /** Lambda allocates CPU in proportion: 1769 MB is one full core. */
  memoryMb: number;
  logRetentionDays: 30 | 365;
  /** How traffic shifts to a new version: 10 % for five minutes first, or all at once. */
  trafficShift: 'canary' | 'allAtOnce';
  /** Whether the stage may be deployed with the context `fault=on`, for the rollback drill. */
  allowsFault: boolean;
  /** The rate of requests that API Gateway accepts. Above it, clients get 429. */
  throttle: { requestsPerSecond: number; burstRequests: number };
  /**
   * The units per second of each table, and separately of each index: a limit on the bill.
   * Above it clients get 503, so requests must reach `throttle` first.
   */
  tableCeiling: { readUnits: number; writeUnits: number };
  /** The firewall in front of the API. Above its limit, clients get 429. Absent: no firewall. */
  firewall?: { requestsPerMinuteAndAddress: number };
  /** What the stage may cost in a month. The operators are told before it costs more. */
  monthlyBudgetUsd: number;
  /** How long a daily backup is kept. Absent: no backups. */
  backupRetentionDays?: number;
};

export const stages: readonly Stage[] = [
  {
    name: 'v1-production',
    isDurable: true,
    shards: 1,
    writeShards: 1,
    idsPerLease: 10,
    memoryMb: 1024,
    logRetentionDays: 365,
    trafficShift: 'canary',
    allowsFault: false,
    throttle: { requestsPerSecond: 500, burstRequests: 1000 },
    // Per request of the throttle: 12 reads (a page of 100 typical pets takes 4.5) and 4 writes (the
    // largest pet and its id take 3).
    tableCeiling: { readUnits: 6000, writeUnits: 2000 },
    // 100 a second: a fifth of the throttle.
    firewall: { requestsPerMinuteAndAddress: 6000 },
    monthlyBudgetUsd: 100,
    backupRetentionDays: 35,
  },
  {
    name: 'v1-staging',
    isDurable: false,
    shards: 1,
    writeShards: 1,
    idsPerLease: 1,
    memoryMb: 1024,
    logRetentionDays: 30,
    trafficShift: 'allAtOnce',
    allowsFault: true,
    throttle: { requestsPerSecond: 50, burstRequests: 100 },
    tableCeiling: { readUnits: 600, writeUnits: 200 },
    monthlyBudgetUsd: 20,
  },
];

/** The stack that all stages of an account and Region share. */
export const accountStackName = 'PetStore-account';

/** The stack with the roles of the pipeline. */
export const pipelineStackName = 'PetStore-pipeline';

/** The CloudFormation stack of a stage. */
export function stackName(stageName: string): string {
  return `PetStore-${stageName}`;
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
