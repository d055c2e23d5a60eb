// What no command of this project measures: it needs AWS. The rest of the bill is measured or a setting.

/**
 * The time of a request in its function, in every stage.
 *
 * The service computes for a millisecond on a whole processor (docs/performance.md, "Warm requests"), so for
 * about two at 1,024 MB. The rest waits for DynamoDB, with a margin.
 */
export const requestMs = 20;

/** The share of requests that start a function: fewer than 1 %, says AWS of all its customers. */
export const initShare = 0.01;

/** The init phase of a function: docs/performance.md, "Cold start", rounded up. */
export const initMs = 200;

/** The headers of a response, with those that API Gateway adds. */
export const headerBytes = 1_000;

/** Lambda's lines about a request that fails. */
export const failureLogBytes = 650;

/** A run of the heartbeat. */
export const heartbeatMs = 1_000;

/** The requests a second of an attack that the throttle or the firewall refuses. */
export const refusedPerSecond = 10_000;
