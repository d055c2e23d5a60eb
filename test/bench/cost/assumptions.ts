// These values need AWS to measure. The rest of the bill is measured by a command, or is a setting.

/** The time that DynamoDB adds to a request over the engine of `npm run bench:memory`, with a margin. */
export const networkMs = 12;

/** The share of requests that start a function: AWS says fewer than 1 %, over all its customers. */
export const initShare = 0.01;

/** The headers of a response, with those that API Gateway adds. */
export const headerBytes = 1_000;

/** Lambda's lines about a request that fails. */
export const failureLogBytes = 650;

/** A run of the heartbeat. */
export const heartbeatMs = 1_000;

/** The requests a second of an attack that the throttle or the firewall refuses. */
export const refusedPerSecond = 10_000;
