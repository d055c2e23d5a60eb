import { describe, expect, it, vi } from 'vitest';
import { handler as getPet } from '../../functions/getPet.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { connectionReset, interceptDatabase } from '../helpers/database.ts';
import {
  type Hear,
  releasingAws,
  running,
  verdict,
  verifyVersion,
} from '../helpers/releasingAws.ts';

const fakeTimeouts = () =>
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });

describe('verifyVersion, if something around it fails,', () => {
  it('invokes a version again if its first response does not come', async () => {
    const aws = await releasingAws((sent, response) => {
      const isFirst = /attempt=1/.test(String(response.req.headers['amz-sdk-request']));
      const isLost = isFirst && !sent.headers?.authorization;
      return isLost ? vi.advanceTimersByTime(14_000) : running(getPet)(sent, response);
    });
    captureLog();
    fakeTimeouts();

    await verifyVersion();

    expect(aws.verdicts).toEqual([verdict('Succeeded')]);
  });

  it('stops a version that cannot reach its table', async () => {
    interceptDatabase(() => Promise.reject(connectionReset()));
    const aws = await releasingAws(running(getPet));
    const log = captureLog();

    await verifyVersion();

    expect(aws.verdicts).toEqual([verdict('Failed')]);
    expect(log.text()).toContain('service_unavailable');
  });

  it('stops a version that never responds, in time for the report', async () => {
    const { timeout } = AbortSignal;
    const asked = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(20));
    const aws = await releasingAws(() => {});
    captureLog();

    await verifyVersion();

    expect(aws.verdicts).toEqual([verdict('Failed')]);
    // Of the 60 s that the hook has.
    expect(asked.mock.calls).toEqual([[45_000]]);
  });

  it.each([
    [
      'VERSION_ARN is missing',
      'VERSION_ARN',
      undefined,
      'VERSION_ARN is missing in the environment.',
    ],
    [
      'VERIFIED_FUNCTION names no function',
      'VERIFIED_FUNCTION',
      'getPets',
      'VERIFIED_FUNCTION in the environment names no function.',
    ],
  ])('stops a release if %s', async (_fault, variable, value, message) => {
    const aws = await releasingAws(running(getPet));
    vi.stubEnv(variable, value);
    const log = captureLog();

    await verifyVersion();

    expect(aws.invoked).toEqual([]);
    expect(aws.verdicts).toEqual([verdict('Failed')]);
    expect(log.lines()).toMatchObject([{ cause: { message } }]);
  });

  it.each<[string, Hear]>([
    ['refuses the verdict', (response) => response.writeHead(400).end('{}')],
    ['does not respond', () => vi.advanceTimersByTime(3000)],
  ])('fails if CodeDeploy %s, so that Lambda calls it again', async (_fault, hear) => {
    await releasingAws(running(getPet), { hear });
    captureLog();
    fakeTimeouts();

    await expect(verifyVersion()).rejects.toThrow();
  });
});
