import { describe, expect, it, vi } from 'vitest';
import { apiKeyDigest, apiKeyId } from '../../../../lib/apiKeys/apiKey.ts';
import { config } from '../../../../lib/config.ts';
import { apiKey, call, loadHandler } from '../../../helpers/api.ts';
import { captureLog } from '../../../helpers/captureLog.ts';
import {
  connectionReset,
  interceptDatabase,
  storedPets,
  storeItem,
} from '../../../helpers/database.ts';
import { petNamed, rex, rexFilter, storedPet } from '../../../helpers/samplePets.ts';

/** The default log of @middy/http-error-handler, which the package reads when it loads. */
const middyLog = vi.hoisted(() => {
  const log = vi.fn();
  console.error = log;
  return log;
});

const body = petNamed('Confidential');
const forEachField = (value: unknown) =>
  Object.fromEntries(Object.keys(rex).map((field) => [field, value]));
const handler = await loadHandler('createPet', {
  LOG_LEVEL: 'INFO',
  RELEASE: '8bab64c',
  AWS_LAMBDA_FUNCTION_VERSION: '7',
});

describe('logRequest', () => {
  it('writes one line for each request: what was released, operation, key, result and time', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    interceptDatabase(({ action, pass }) => {
      if (action === 'PutItem') vi.setSystemTime(Date.now() + 120);
      return pass();
    });
    const log = captureLog();

    await call(handler, { body });
    // The error has a cause, which the line leaves out.
    const notUtf8 = Buffer.from([0xff]).toString('base64');
    await call(handler, { event: { body: notUtf8, isBase64Encoded: true } });

    const lines = log.lines();
    const request = {
      level: 'INFO',
      code: 'request_handled',
      service: 'petstore',
      stage: config().stage,
      functionVersion: '7',
      release: '8bab64c',
      operation: 'createPet',
      requestId: 'request-1',
      apiKeyId: apiKeyId(apiKeyDigest(apiKey)),
    };
    expect(lines).toMatchObject([
      { ...request, status: 201, durationMs: 120 },
      { ...request, status: 400, durationMs: 0, errorCode: 'bad_request' },
    ]);
    expect(lines[0]).not.toHaveProperty('errorCode');
    expect(lines[1]).not.toHaveProperty('cause');
  });

  it('writes to stdout, and the cause of a server error to stderr', async () => {
    const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);

    await call(handler, { body });
    interceptDatabase(() => Promise.reject(connectionReset()));
    await call(handler, { body });

    expect(stdout.mock.calls).toEqual([[expect.stringContaining('"status":201')]]);
    expect(stderr.mock.calls).toEqual([[expect.stringContaining('read ECONNRESET')]]);
    expect(middyLog).not.toHaveBeenCalled();
  });

  it('names its own invocation and pet on each line, also if requests overlap', async () => {
    const second = Promise.withResolvers<unknown>();
    const actions = interceptDatabase(async ({ action, pass }) => {
      if (action === 'PutItem') await second.promise;
      return pass();
    });
    const log = captureLog();

    const first = call(handler, { body, context: { awsRequestId: 'invocation-1' } });
    await expect.poll(() => actions).toContain('PutItem');
    second.resolve(call(handler, { body: '{', context: { awsRequestId: 'invocation-2' } }));
    await first;

    const [refused, created] = log.lines();
    expect(refused).toMatchObject({ status: 400, functionRequestId: 'invocation-2' });
    expect(refused).not.toHaveProperty('petId');
    expect(created).toMatchObject({ status: 201, functionRequestId: 'invocation-1' });
    expect(created).toHaveProperty('petId');
  });

  it('names the pet of a request that failed after it was stored', async () => {
    interceptDatabase(async ({ action, pass }) => {
      const response = await pass();
      if (action === 'PutItem') throw connectionReset();
      return response;
    });
    const log = captureLog();

    await call(handler, { body });

    const stored = (await storedPets()).map(({ id }) => String(id));
    const [line] = log.lines();
    expect(line).toMatchObject({ status: 503 });
    expect(stored).toContain(line?.petId);
  });

  it.each([
    [
      'Self=1-67891234-12456789abcdef0123456789;Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0',
      '1-5759e988-bd862e3fe1be46a994272793',
    ],
    ['Root=Confidential', undefined],
    [undefined, undefined],
  ])('names the trace that Lambda passes on, but no other text: %s', async (header, traceId) => {
    vi.stubEnv('_X_AMZN_TRACE_ID', header);
    const log = captureLog();

    await call(handler, { body });

    expect(log.lines().map((line) => line.xrayTraceId)).toEqual([traceId]);
    expect(log.text()).not.toContain('Confidential');
  });

  it.each([
    ['on-demand', [true, false]],
    ['provisioned-concurrency', [false, false]],
  ])(
    'marks the request that waited for a cold start, after an initialization of type %s',
    async (AWS_LAMBDA_INITIALIZATION_TYPE, coldStarts) => {
      const newInstance = await loadHandler('createPet', {
        LOG_LEVEL: 'INFO',
        AWS_LAMBDA_INITIALIZATION_TYPE,
      });
      const log = captureLog();

      await call(newInstance, { body });
      await call(newInstance, { body });

      expect(log.lines().map((line) => line.coldStart)).toEqual(coldStarts);
    },
  );

  it.each([
    ['the key in its header', {}],
    ['a key that is unknown', { headers: { Authorization: `Bearer ${apiKey.slice(0, -1)}~` } }],
    ['a key in the wrong place', { query: { key: apiKey }, headers: { 'X-Api-Key': apiKey } }],
    ['a key in the body', { body: forEachField([apiKey]) }],
    ['an incomplete body', { body: '{"name": "Confidential"' }],
    ['a body of another type', { headers: { 'Content-Type': 'text/plain' } }],
  ])('writes neither a key nor a body, given %s', async (_case, sent) => {
    const log = captureLog();

    await call(handler, { body, ...sent });

    expect(log.lines()).toHaveLength(1);
    expect(log.text()).not.toContain(apiKey.slice(0, -1));
    expect(log.text()).not.toContain('Confidential');
  });

  it('writes no address, and no header, path, parameter or stored text, which could forge a line', async () => {
    const forged = '\n{"level":"ERROR","code":"request_failed"}\r\n\u2028\u001b[2KConfidential';
    // The pet keeps its status, by which lists find it. No creation of this file takes its id.
    await storeItem({ ...storedPet(999n), ...forEachField(forged), ...rexFilter });
    const fallback = await loadHandler('fallback', { LOG_LEVEL: 'INFO' });
    const listPets = await loadHandler('listPets', { LOG_LEVEL: 'INFO' });
    const log = captureLog();

    await call(fallback, {
      headers: { 'User-Agent': forged, 'X-Request-Id': forged, 'X-Forwarded-For': '192.0.2.1' },
      query: { [forged]: forged },
      event: { path: `/v1/${forged}`, pathParameters: { proxy: forged } },
    });
    await call(listPets, { query: rexFilter });

    expect(log.lines().map(({ code }) => code)).toEqual([
      'request_handled',
      'item_damaged',
      'request_handled',
    ]);
    expect(log.text()).not.toContain('Confidential');
    expect(log.text()).not.toContain('192.0.2.1');
  });
});
