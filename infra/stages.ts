/** How one deployment differs from the other; a value here is a decision, not a default. */
export type Stage = {
  /** The API Gateway stage, and the `<stage>` of its API keys. Letters, digits and `-`. */
  name: 'v1-production' | 'v1-staging';
  /** Whether pets outlive mistakes: deletion protection, point-in-time recovery, retained tables. */
  isDurable: boolean;
  /** Index partitions per status that a list asks. May be raised on live data, never lowered. */
  shards: number;
  /** To how many of them new pets go. Raise it one deployment after `shards`: docs/scaling.md. */
  writtenShards: number;
  /** Ids that an instance takes from the counter at once: fewer writes, and gaps in the ids. */
  idsPerLease: number;
  /** Lambda gives CPU in proportion; 1769 MB is one whole core. */
  memoryMb: number;
  logRetentionDays: 30 | 365;
};

export const stages: readonly Stage[] = [
  {
    name: 'v1-production',
    isDurable: true,
    shards: 1,
    writtenShards: 1,
    idsPerLease: 10,
    memoryMb: 1024,
    logRetentionDays: 365,
  },
  {
    name: 'v1-staging',
    isDurable: false,
    shards: 1,
    writtenShards: 1,
    idsPerLease: 1,
    memoryMb: 1024,
    logRetentionDays: 30,
  },
];

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
