/** What one partition of DynamoDB gives, in units a second. */
export const partitionLimits = { read: 3_000, write: 1_000 } as const;

/** The quotas of a new account. AWS raises each of them on request. */
export const defaultQuotas = {
  /** Units a second of a table, and as many of each of its indexes. */
  tableUnits: 40_000,
  gatewayRequests: 10_000,
  lambdaConcurrency: 1_000,
};

export type Quotas = typeof defaultQuotas;

/** Requests a second that Lambda takes for each unit of concurrency, however short they are. */
export const requestsPerConcurrency = 10;

/** Assumed, not measured on AWS: the time of a request, and the time that each further query adds. */
export const requestMs = 20;
export const queryMs = 0.6;

/** The size of a pet in the table, and of its entry in the index, as DynamoDB counts bytes. */
export const petBytes = 120;

/** What DynamoDB adds to each stored item in the bill for storage. */
export const storageOverheadBytes = 100;

/** What the function, Lambda and the gateway log for a request: see docs/operations.md. */
export const logBytesPerRequest = 2_000;

export const assumptions: readonly (readonly [assumption: string, source: string])[] = [
  [
    'A partition takes 1,000 writes of 1 KB and 3,000 reads of 4 KB a second, without bursts.',
    'DynamoDB guide, “Best practices for designing and using partition keys”',
  ],
  [
    'A hot partition is split between two partition or sort keys, never within an item.',
    'AWS Database Blog, “Scaling DynamoDB”, part 3',
  ],
  [
    'A partition may use all of its limit while others rest.',
    'DynamoDB guide, “Burst and adaptive capacity”',
  ],
  [
    'A full index throttles writes to its table.',
    'DynamoDB guide, “GSI write throttling and back pressure”',
  ],
  [
    'A new table takes 4,000 writes and 12,000 reads a second, later twice its last peak within 30 minutes.',
    'DynamoDB guide, “On-demand capacity mode”',
  ],
  [
    'A table, and each index, may use 40,000 read and 40,000 write units a second.',
    'DynamoDB guide, “Quotas”',
  ],
  ['API Gateway takes 10,000 requests a second.', 'API Gateway guide, “Quotas”'],
  [
    'Lambda runs 1,000 requests at once, each at most 10 times a second, and grows by 1,000 every 10 seconds.',
    'Lambda guide, “Function scaling” and “Scaling behavior”',
  ],
  ['A request takes 20 ms, plus 0.6 ms for each further query of a list.', 'assumed'],
  [
    'A pet has 120 bytes in the table and in the index, plus 100 bytes each in the bill.',
    'a test weighs made-up pets; DynamoDB pricing',
  ],
  ['A request writes 2 KB of log.', '`npm run bench:log`, docs/operations.md'],
  ['All pets have the same status: the worst case, and the default.', 'assumed'],
];
