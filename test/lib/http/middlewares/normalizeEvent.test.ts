import { describe, expect, it } from 'vitest';
import { handler as getPet } from '../../../../functions/getPet.ts';
import type { RawEvent } from '../../../../lib/http/event.ts';
import { captureLog } from '../../../helpers/captureLog.ts';

describe('eventNormalized', () => {
  it('lets an event that no gateway sends be answered 500 with every header of an answer', async () => {
    captureLog();
    const event = { path: '/v1/pets/7', multiValueQueryStringParameters: { limit: 5 } };

    const { statusCode, headers, body } = await getPet(event as unknown as RawEvent, {
      awsRequestId: 'invocation-1',
    });

    expect(statusCode).toBe(500);
    expect(JSON.parse(body).code).toBe('internal_error');
    expect(headers).toMatchObject({
      'X-Request-Id': 'invocation-1',
      'Cache-Control': 'no-store',
      Deprecation: '@1795132800',
    });
  });

  it('takes no event at all for a request without a key', async () => {
    const { statusCode } = await getPet(null as unknown as RawEvent);

    expect(statusCode).toBe(401);
  });
});
