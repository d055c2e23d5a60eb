import type { dynamoDbClient } from '../../lib/dynamodb/client.ts';

/** A method that the SDK's union of handlers hides. */
type HttpHandler = typeof dynamoDbClient.config.requestHandler & {
  updateHttpClientConfig(key: 'connectionTimeout' | 'requestTimeout', timeoutMs: number): void;
};

/** The time that a function may run. */
const databaseTimeoutMs = 10_000;

/**
 * Gives a client more time than the time-outs of a function, which assume a database next to it.
 *
 * An operator may be on another continent. A local engine shares the processor with its clients, so
 * hundreds of requests may queue. The SDK's connection time-out includes the time in the queue.
 */
export function relaxDatabaseTimeouts({ config }: typeof dynamoDbClient): void {
  const requestHandler = config.requestHandler as HttpHandler;
  requestHandler.updateHttpClientConfig('connectionTimeout', databaseTimeoutMs);
  requestHandler.updateHttpClientConfig('requestTimeout', databaseTimeoutMs);
}
