/** What one partition of DynamoDB gives, in units a second. */
export const partitionLimits = { read: 3_000, write: 1_000 } as const;

/** The quotas of an account that nobody has asked to raise; AWS raises each on request. */
export const defaultQuotas = {
  /** Units a second of a table, and as many of each of its indexes. */
  tableUnits: 40_000,
  gatewayRequests: 10_000,
  lambdaConcurrency: 1_000,
};

export type Quotas = typeof defaultQuotas;

/** Requests a second that Lambda lets one unit of concurrency take, however short they are. */
export const requestsPerConcurrency = 10;

/** Times that nobody has measured on AWS yet: a request's, and what each further query adds. */
export const requestMs = 20;
export const queryMs = 0.6;

/** A pet in the table or in the index, as DynamoDB counts bytes. */
export const petBytes = 120;

/** What DynamoDB adds to a stored item when it counts the storage. */
export const storageOverheadBytes = 100;

/** What the function, Lambda and the gateway write of a request: see docs/operations.md. */
export const logBytesPerRequest = 2_000;

/** What the model takes for granted, and whose word it is. */
export const assumptions: readonly (readonly [assumption: string, source: string])[] = [
  [
    'A partition gives 1,000 writes and 3,000 reads a second, each of 1 and 4 KB, and never more: no burst.',
    'DynamoDB Developer Guide, “Best practices for designing and using partition keys”',
  ],
  [
    'A hot partition is split, at best between two sort keys of one partition key, and never within one item.',
    'AWS Database Blog, “Scaling DynamoDB: How partitions, hot keys, and split for heat impact performance”, part 3',
  ],
  [
    'The split lies in the middle of what a partition is asked for, from 90 % of its limit on. How long a split takes is left open.',
    'assumed: AWS says neither',
  ],
  [
    'A partition may use all of its limit while others rest (adaptive capacity).',
    'DynamoDB Developer Guide, “DynamoDB burst and adaptive capacity”',
  ],
  [
    'An index that has no room for an entry throttles the write to the table.',
    'DynamoDB Developer Guide, “Understanding Global Secondary Index (GSI) write throttling and back pressure”',
  ],
  [
    'A new on-demand table begins with 4 partitions (4,000 writes, 12,000 reads). It takes up to twice its last peak; more than that within 30 minutes may be throttled.',
    'DynamoDB Developer Guide, “DynamoDB on-demand capacity mode”',
  ],
  [
    'A table may use 40,000 read and 40,000 write units a second, and so may each index.',
    'DynamoDB Developer Guide, “Quotas in Amazon DynamoDB”',
  ],
  [
    'API Gateway takes 10,000 requests a second of an account and Region.',
    'API Gateway Developer Guide, “Quotas for configuring and running a REST API”',
  ],
  [
    'Lambda runs 1,000 requests at once and 10 requests a second for each of these; a function grows by 1,000 every 10 seconds.',
    'Lambda Developer Guide, “Understanding Lambda function scaling” and “Lambda scaling behavior”',
  ],
  ['A request takes 20 ms, and a list 0.6 ms more for each query but the first.', 'assumed'],
  [
    'A pet is 120 bytes in the table and as many in the index, and 100 bytes more each where storage is billed.',
    'a test weighs the made-up pets; Amazon DynamoDB pricing',
  ],
  ['A request writes 2 KB of log.', '`npm run bench:log`, and estimates; see docs/operations.md'],
  ['Every pet is created with the same status: the worst case, and the default.', 'assumed'],
];
