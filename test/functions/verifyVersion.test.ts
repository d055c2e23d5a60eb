import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { isApiKeyOf } from '../../lib/apiKeys/apiKey.ts';
import { config } from '../../lib/config.ts';
import type { RawEvent } from '../../lib/http/event.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { connectionReset, interceptDatabase } from '../helpers/database.ts';
import { listen } from '../helpers/listen.ts';

const functionArn = 'arn:aws:lambda:eu-west-1:111122223333:function:createPet';
const versionArn = `${functionArn}:7`;
const liveArn = `${functionArn}:live`;

/** Sends the response of Lambda to an invocation. */
type Invoke = (event: RawEvent, response: ServerResponse) => unknown;

/** The version is our own function. */
const running: Invoke = async (event, response) =>
  response.end(JSON.stringify(await createPet(event, {})));

/** The version responds 503 to a request with a key, also while the database works. */
const unavailable: Invoke = (event, response) =>
  event.headers?.Authorization
    ? response.end(JSON.stringify({ statusCode: 503, headers: {}, body: '{}' }))
    : running(event, response);

const respondingWith =
  (payload: unknown, headers: Record<string, string> = {}): Invoke =>
  (_event, response) =>
    response.writeHead(200, headers).end(JSON.stringify(payload));

/** Sends the response of CodeDeploy to the report. */
type Report = (response: ServerResponse) => unknown;

/** Fakes Lambda and CodeDeploy, and runs the hook as an instance that has just started. */
async function verify(
  invoke: Invoke,
  {
    live = running,
    report = (response) => response.end('{}'),
  }: { live?: Invoke; report?: Report } = {},
): Promise<{ events: RawEvent[]; invoked: string[]; reports: unknown[]; errors: string }> {
  const events: RawEvent[] = [];
  const invoked: string[] = [];
  const reports: unknown[] = [];
  const endpoint = await listen(async (request, response) => {
    const body = await json(request);
    const [, arn] = /\/functions\/([^/]+)\/invocations/.exec(request.url ?? '') ?? [];
    if (arn) {
      invoked.push(decodeURIComponent(arn));
      events.push(body as RawEvent);
      const version = invoked.at(-1) === liveArn ? live : invoke;
      await version(body as RawEvent, response);
    } else {
      reports.push(body);
      report(response.setHeader('Content-Type', 'application/x-amz-json-1.1'));
    }
  });
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_CODEDEPLOY', endpoint);
  vi.stubEnv('VERSION_ARN', versionArn);
  vi.stubEnv('LIVE_ARN', liveArn);
  // The SDK waits a random part of a second before a retry. Zero here.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  vi.resetModules();
  const { handler } = await import('../../functions/verifyVersion.ts');
  await handler({ DeploymentId: 'd-ABC', LifecycleEventHookExecutionId: 'hook-1' });
  return { events, invoked, reports, errors: logged.mock.calls.join() };
}

const reportOf = (status: 'Succeeded' | 'Failed') => ({
  deploymentId: 'd-ABC',
  lifecycleEventHookExecutionId: 'hook-1',
  status,
});

const fakeTimeouts = () =>
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });

describe('verifyVersion', () => {
  it('releases a version that refuses a request without a key, and one with a key that it looks up', async () => {
    const actions = interceptDatabase();

    const { events, invoked, reports, errors } = await verify(running);

    expect(reports).toEqual([reportOf('Succeeded')]);
    expect(errors).toBe('');
    expect(invoked).toEqual([versionArn, versionArn]);
    const request = { httpMethod: 'GET', path: '/v1/pets' };
    expect(events).toMatchObject([{ ...request, headers: {} }, request]);
    const key = events[1]?.headers?.Authorization?.replace('Bearer ', '') ?? '';
    expect(isApiKeyOf(config().stage, key)).toBe(true);
    expect(actions).toEqual(['GetItem']);
  });

  it('stops a version that cannot reach DynamoDB while the live version can', async () => {
    captureLog();
    let isLive = false;
    interceptDatabase(({ pass }) => (isLive ? pass() : Promise.reject(connectionReset())));

    const { events, invoked, reports, errors } = await verify(running, {
      live: (event, response) => {
        isLive = true;
        return running(event, response);
      },
    });

    expect(reports).toEqual([reportOf('Failed')]);
    expect(errors).toContain('is not released');
    expect(errors).toContain('with a key that was never issued got the status 503');
    expect(invoked).toEqual([versionArn, versionArn, liveArn]);
    expect(events[2]).toEqual(events[1]);
  });

  it('releases a version if neither version can reach DynamoDB, and says so', async () => {
    captureLog();
    interceptDatabase(() => Promise.reject(connectionReset()));

    const { invoked, reports, errors } = await verify(running);

    expect(reports).toEqual([reportOf('Succeeded')]);
    expect(errors).toMatch(
      /^The new version is released: the live version responds 503 too\.,Error/,
    );
    expect(invoked).toEqual([versionArn, versionArn, liveArn]);
  });

  it.each<[string, Invoke, Invoke]>([
    ['without a key, which no database answers', respondingWith({ statusCode: 503 }), unavailable],
    [
      'while the live version crashes',
      unavailable,
      respondingWith({ errorMessage: 'no module' }, { 'X-Amz-Function-Error': 'Unhandled' }),
    ],
    ['while the live version responds 500', unavailable, respondingWith({ statusCode: 500 })],
  ])('stops a version that responds 503 %s', async (_fault, invoke, live) => {
    const { reports, errors } = await verify(invoke, { live });

    expect(reports).toEqual([reportOf('Failed')]);
    expect(errors).toMatch(/^The new version is not released\./);
  });

  it.each<[string, Invoke, string]>([
    [
      'crashes',
      respondingWith({ errorMessage: 'no module' }, { 'X-Amz-Function-Error': 'Unhandled' }),
      `${versionArn} crashed: {"errorMessage":"no module"}`,
    ],
    ['responds with nothing', (_event, response) => response.end(), 'JSON'],
  ])('stops a version that %s, and logs why', async (_fault, invoke, message) => {
    const { reports, errors } = await verify(invoke);

    expect(reports).toEqual([reportOf('Failed')]);
    expect(errors).toMatch(/^The new version is not released\.,Error: The request without a key/);
    expect(errors).toContain(message);
  });

  it('invokes a version again if its first response does not come', async () => {
    fakeTimeouts();

    const { reports } = await verify((event, response) => {
      const isFirst = /attempt=1/.test(String(response.req.headers['amz-sdk-request']));
      const isLost = isFirst && !event.headers?.Authorization;
      return isLost ? vi.advanceTimersByTime(14_000) : running(event, response);
    });

    expect(reports).toEqual([reportOf('Succeeded')]);
  });

  it('stops a version that never responds, in time for the report', async () => {
    const { timeout } = AbortSignal;
    const asked = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(20));

    const { reports } = await verify(() => {});

    expect(reports).toEqual([reportOf('Failed')]);
    // Of the 60 s that the hook has.
    expect(asked.mock.calls).toEqual([[45_000]]);
  });

  it.each<[string, Report]>([
    ['refuses the report', (response) => response.writeHead(400).end('{}')],
    ['does not respond', () => vi.advanceTimersByTime(3000)],
  ])('fails if CodeDeploy %s, so that Lambda calls it again', async (_fault, report) => {
    fakeTimeouts();

    await expect(verify(running, { report })).rejects.toThrow();
  });
});
