import { describe, expect, it, vi } from 'vitest';
import { apiKeyDigest, apiKeyId } from '../../../../lib/apiKeys/apiKey.ts';
import { apiKey, call, loadHandler, restEvent } from '../../../helpers/api.ts';
import { captureLog } from '../../../helpers/captureLog.ts';
import { interceptDatabase } from '../../../helpers/database.ts';

const body = { name: 'Confidential', categoryId: 1 };
const handler = await loadHandler('createPet', { LOG_LEVEL: 'INFO' });

describe('logRequest', () => {
  it('writes one line for each request: operation, key and result', async () => {
    const log = captureLog();

    await call(handler, { body });
    await call(handler, { body: { name: 'Confidential' } });

    const lines = log.lines();
    const request = {
      level: 'INFO',
      code: 'request_handled',
      service: 'petstore',
      stage: 'test',
      operation: 'createPet',
      requestId: 'request-1',
      apiKeyId: apiKeyId(apiKeyDigest(apiKey)),
      durationMs: expect.any(Number),
    };
    expect(lines).toMatchObject([
      { ...request, status: 201 },
      { ...request, status: 400, errorCode: 'bad_request' },
    ]);
    expect(lines[0]).not.toHaveProperty('errorCode');
  });

  it('measures how long the request took', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { dynamoDbClient } = await import('../../../../lib/dynamodb/client.ts');
    interceptDatabase(({ action, pass }) => {
      if (action === 'PutItem') vi.setSystemTime(Date.now() + 120);
      return pass();
    }, dynamoDbClient);
    const log = captureLog();

    await call(handler, { body });

    expect(log.lines()).toMatchObject([{ status: 201, durationMs: 120 }]);
  });

  it('names the id of the invocation, as Lambda does', async () => {
    const log = captureLog();

    await handler(restEvent({ body }), { awsRequestId: 'invocation-1' });

    expect(log.lines()).toMatchObject([{ function_request_id: 'invocation-1' }]);
  });

  it('tells the first request of an instance from the others', async () => {
    const newInstance = await loadHandler('createPet', {
      LOG_LEVEL: 'INFO',
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    });
    const log = captureLog();

    await call(newInstance, { body });
    await call(newInstance, { body });

    expect(log.lines()).toMatchObject([{ cold_start: true }, { cold_start: false }]);
  });

  it.each([
    ['the key in its header', {}],
    ['a key that is unknown', { headers: { Authorization: `Bearer ${apiKey.slice(0, -1)}~` } }],
    ['a key in the wrong place', { query: { key: apiKey }, headers: { 'X-Api-Key': apiKey } }],
    ['a key in the body', { body: { name: apiKey, categoryId: apiKey } }],
    ['a body that is cut off', { body: '{"name": "Confidential"' }],
    ['a body of another type', { headers: { 'Content-Type': 'text/plain' } }],
  ])('writes neither a key nor a body, given %s', async (_case, sent) => {
    const log = captureLog();

    await call(handler, { body, ...sent });

    expect(log.lines()).toHaveLength(1);
    expect(log.text()).not.toContain(apiKey.slice(0, -1));
    expect(log.text()).not.toContain('Confidential');
  });
});
