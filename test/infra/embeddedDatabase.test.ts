import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ClassicLevel } from 'classic-level';
import { describe, expect, it, vi } from 'vitest';
import { createTables } from '../../infra/local/createTables.ts';
import { startEmbeddedDatabase } from '../../infra/local/embeddedDatabase.ts';

/** The class of all LevelDB databases, on disk and in memory. */
const level = Object.getPrototypeOf(ClassicLevel.prototype);
const { values } = level;

describe('startEmbeddedDatabase', () => {
  it('closes its files only when what a client that left asked for is done', async () => {
    const close = vi.spyOn(level, 'close');
    const database = await startEmbeddedDatabase();
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', database.endpoint);
    await createTables({ pets: 'left-pets', apiKeys: 'left-keys', idempotency: 'left' });
    const client = new AbortController();
    const goOn = Promise.withResolvers<void>();
    vi.spyOn(level, 'values').mockImplementationOnce(function (this: unknown, ...options) {
      client.abort();
      const iterator = values.apply(this, options);
      const { nextv } = iterator;
      return Object.assign(iterator, {
        nextv: (size: number) => goOn.promise.then(() => nextv.call(iterator, size)),
      });
    });
    const scan = new ScanCommand({ TableName: 'left-pets' });
    const sent = new DynamoDBClient({ endpoint: database.endpoint }).send(scan, {
      abortSignal: client.signal,
    });
    await expect(sent).rejects.toThrow('abort');

    const stopped = database.stop();
    await expect(fetch(database.endpoint)).rejects.toThrow();

    expect(close).not.toHaveBeenCalled();
    goOn.resolve();
    await stopped;
    expect(close).toHaveBeenCalled();
  });
});
