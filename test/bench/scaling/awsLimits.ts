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
    'A partition gives 1,000 writes of 1 KB and 3,000 reads of 4 KB a second. Bursts are not counted.',
    'DynamoDB Developer Guide, “Best practices for designing and using partition keys”',
  ],
  [
    'DynamoDB splits a hot partition, at best between two sort keys of one partition key, never within an item.',
    'AWS Database Blog, “Scaling DynamoDB: How partitions, hot keys, and split for heat impact performance”, part 3',
  ],
  [
    'A partition may use all of its limit while others rest (adaptive capacity).',
    'DynamoDB Developer Guide, “DynamoDB burst and adaptive capacity”',
  ],
  [
    'An index without room for an entry throttles the write to the table.',
    'DynamoDB Developer Guide, “Understanding Global Secondary Index (GSI) write throttling and back pressure”',
  ],
  [
    'A new on-demand table takes 4,000 writes and 12,000 reads a second, later twice its last peak. A faster rise within 30 minutes may be throttled.',
    'DynamoDB Developer Guide, “DynamoDB on-demand capacity mode”',
  ],
  [
    'A table may use 40,000 read and 40,000 write units a second, and so may each index.',
    'DynamoDB Developer Guide, “Quotas in Amazon DynamoDB”',
  ],
  [
    'API Gateway takes 10,000 requests a second for an account and Region.',
    'API Gateway Developer Guide, “Quotas for configuring and running a REST API”',
  ],
  [
    'Lambda runs 1,000 requests at once, and 10 requests a second for each of them. A function grows by 1,000 every 10 seconds.',
    'Lambda Developer Guide, “Understanding Lambda function scaling” and “Lambda scaling behavior”',
  ],
  ['A request takes 20 ms. Each further query of a list adds 0.6 ms.', 'assumed'],
  [
    'A pet has 120 bytes in the table and 120 in the index. The bill for storage adds 100 bytes to each.',
    'a test weighs the made-up pets; Amazon DynamoDB pricing',
  ],
  ['A request writes 2 KB of log.', '`npm run bench:log`, and estimates; see docs/operations.md'],
  ['All pets are created with the same status: the worst case, and the default.', 'assumed'],
];
