import { describe, expect, it, vi } from 'vitest';
import { isCreation } from '../../../infra/core/apiMethods.ts';
import { operationEntries } from '../../../lib/operations.ts';
import { call, loadHandler } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import { emptyTables, interceptDatabase, itemsWithId, storeItems } from '../../helpers/database.ts';
import { exampleRequest, preparationsOf, sendExample } from '../../helpers/exampleRequests.ts';
import { listen } from '../../helpers/listen.ts';

describe('the time limit of a request', () => {
  it('responds 503 a quarter of a second before Lambda would end the function, and logs why', async () => {
    const log = captureLog();
    // The response to the authentication drips, so no time-out of the SDK ends it.
    const AWS_ENDPOINT_URL_DYNAMODB = await listen((_request, response) => {
      response.write('{');
      const drip = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(drip));
    });
    const handler = await loadHandler('listPets', { AWS_ENDPOINT_URL_DYNAMODB });
    const timeLimit = vi.spyOn(AbortSignal, 'timeout');
    const context = { getRemainingTimeInMillis: () => 250 + 300 };

    const { headers, json } = await call(handler, { context });

    expect(timeLimit.mock.calls).toEqual([[300]]);
    expect(headers['Retry-After']).toBe('1');
    const message = 'The store did not respond in time: send the request again later.';
    expect(json).toEqual({ code: 'service_unavailable', message, status: 503 });
    expect(log.lines()).toMatchObject([
      { code: 'request_failed', status: 503, cause: { name: 'AbortError' } },
    ]);
  });

  it.each(operationEntries)('ends each call of %s, whichever is silent', async (name, row) => {
    const context = { getRemainingTimeInMillis: () => 10_000 };
    let calls: number;
    let silentCall = 0;
    do {
      silentCall += 1;
      calls = 0;
      vi.restoreAllMocks();
      captureLog();
      await emptyTables();
      // A creation comes a second time, so that it also skips an id.
      for (const each of [...preparationsOf(name), ...(isCreation(row) ? [name] : [])]) {
        await sendExample(each);
      }
      if (isCreation(row)) await setCountersBack();
      const request = exampleRequest(name);
      const handler = await loadHandler(name, {});
      const timer = new AbortController();
      vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timer.signal);
      interceptDatabase(async ({ abortSignal, pass }) => {
        calls += 1;
        if (calls < silentCall) return pass();
        timer.abort();
        abortSignal?.throwIfAborted();
        throw new TypeError('This call has no abortSignal.');
      });

      const { status } = await call(handler, { ...request, context });

      if (calls >= silentCall) expect(status, `status if call ${silentCall} is silent`).toBe(503);
    } while (calls >= silentCall);
    expect(silentCall).toBeGreaterThan(row.access.length);
  });
});

/** Deletes the counters, and lets each item with an id seem to be of another writer. */
async function setCountersBack(): Promise<void> {
  const items = await itemsWithId();
  await emptyTables();
  for (const { tableName, item } of items) {
    await storeItems([{ ...item, token: 'another' }], tableName);
  }
}
