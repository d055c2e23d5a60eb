/** How one deployment differs from the other; a value here is a decision, not a default. */
export type Stage = {
  /** The API Gateway stage, and the `<stage>` of its API keys. Letters, digits and `-`. */
  name: 'v1-production' | 'v1-staging';
  /** Whether pets outlive mistakes: deletion protection, point-in-time recovery, retained tables. */
  isDurable: boolean;
  /** Index partitions per status that a list asks. May be raised on live data, never lowered. */
  shards: number;
  /** To how many of them new pets go. Raise it one deployment after `shards`: docs/scaling.md. */
  writeShards: number;
  /** Ids that an instance takes from the counter at once: fewer writes, and gaps in the ids. */
  idsPerLease: number;
  /** Lambda gives CPU in proportion; 1769 MB is one whole core. */
  memoryMb: number;
  logRetentionDays: 30 | 365;
  /** How a new version takes over: by a tenth of the traffic for five minutes, or at once. */
  trafficShift: 'canary' | 'allAtOnce';
  /** Whether it may be deployed with the context `fault=on`, for the rollback drill. */
  allowsFault: boolean;
  /** What API Gateway lets through; beyond it the answer is 429. */
  throttle: { requestsPerSecond: number; burstRequests: number };
  /**
   * What each table, and each index for itself, does a second at most: the ceiling of the bill.
   * Beyond it the answer is 503, so `throttle` shall be what is reached first.
   */
  tableCeiling: { readUnits: number; writeUnits: number };
  /** The firewall before the API; beyond its limit the answer is 429. Absent: no firewall. */
  firewall?: { requestsPerMinuteAndAddress: number };
  /** How long a daily backup outside of the tables is kept. Absent: no backups. */
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
    // For each request of the throttle 12 reads, of which a page of 100 usual pets takes 4.5, and 4
    // writes, of which the largest pet and its id take 3.
    tableCeiling: { readUnits: 6000, writeUnits: 2000 },
    // 100 a second, a fifth of what the stage takes.
    firewall: { requestsPerMinuteAndAddress: 6000 },
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
  },
];

/** The stack that the stages of an account and Region share. */
export const accountStackName = 'PetStore-account';

/** The stack with the roles of the pipeline. */
export const pipelineStackName = 'PetStore-pipeline';

/** The CloudFormation stack of a stage. */
export function stackName(stageName: string): string {
  return `PetStore-${stageName}`;
}

/** The stack's outputs, by which tools find what was deployed. */
export const outputNames = {
  baseAddress: 'BaseAddress',
  petsTable: 'PetsTableName',
  apiKeysTable: 'ApiKeysTableName',
  idempotencyTable: 'IdempotencyTableName',
} as const;

/** The output beside them where a stage has a domain of its own: what its DNS record points to. */
export const domainTargetOutput = 'DomainTarget';
