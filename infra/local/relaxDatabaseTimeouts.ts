import { dynamoDb } from '../../lib/dynamodb/client.ts';

/** What the SDK's union of its handlers and their options hides. */
type HttpHandler = typeof dynamoDb.config.requestHandler & {
  updateHttpClientConfig(key: 'connectionTimeout' | 'requestTimeout', timeoutMs: number): void;
};

/** As long as a function may run: an engine on the same machine is slow at times, but never away. */
const timeoutMs = 10_000;

/**
 * Lets the database calls of this process wait for an engine that shares its processor.
 *
 * A Lambda function has one request at a time and a database that answers in milliseconds; its
 * time-outs are made for that. Here hundreds of requests may queue up before one engine, and the
 * SDK's connection time-out counts the time in the queue.
 */
export function relaxDatabaseTimeouts(): void {
  const requestHandler = dynamoDb.config.requestHandler as HttpHandler;
  requestHandler.updateHttpClientConfig('connectionTimeout', timeoutMs);
  requestHandler.updateHttpClientConfig('requestTimeout', timeoutMs);
}
