import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isApiKeyOf } from '../../../lib/apiKeys/apiKey.ts';
import { config } from '../../../lib/config.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import { connectionReset, interceptDatabase } from '../../helpers/database.ts';
import {
  appSpec,
  fakeRelease,
  type Release,
  running,
  storedRevision,
  type Version,
} from '../../helpers/fakeRelease.ts';

vi.mock(import('node:timers/promises'), { spy: true });
beforeEach(() => {
  vi.mocked(pause).mockReset().mockResolvedValue(undefined);
});

const content = JSON.stringify(appSpec);

/** The version responds 503 to a request with a key, also while the database works. */
const unavailable: Version = (event) =>
  event.headers?.Authorization ? { statusCode: 503, headers: {}, body: '{}' } : running(event);

const crashing: Version = () => ({ errorMessage: 'no module' });

/** Runs the hook as an instance that has just started. */
async function verify(target: Version, release: Release = {}) {
  const { environment, ...recorded } = await fakeRelease({ target, ...release });
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  // The SDK waits a random part of a second before a retry. Zero here.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  vi.resetModules();
  const { handler } = await import('../../../functions/parts/verifyVersion.ts');
  await handler({ DeploymentId: 'd-ABC', LifecycleEventHookExecutionId: 'hook-1' });
  return { ...recorded, report: recorded.calls.at(-1), errors: logged.mock.calls.join() };
}

const reportOf = (status: 'Succeeded' | 'Failed') => [
  'PutLifecycleEventHookExecutionStatus',
  { deploymentId: 'd-ABC', lifecycleEventHookExecutionId: 'hook-1', status },
];

/** The time for rounds ends in the second pause. */
function endRounds(): void {
  const rounds = new AbortController();
  const { timeout } = AbortSignal;
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) =>
    ms === 24_000 ? rounds.signal : timeout(ms),
  );
  vi.mocked(pause)
    .mockResolvedValueOnce(undefined)
    .mockImplementationOnce(async () => rounds.abort());
}

describe('verifyVersion', () => {
  it('releases a version that refuses a request without a key, and one with a key that it looks up', async () => {
    const actions = interceptDatabase();

    const { events, invoked, report, errors } = await verify(running);

    expect(report).toEqual(reportOf('Succeeded'));
    expect(errors).toBe('');
    expect(invoked).toEqual(['createPet:7', 'createPet:7']);
    const request = { httpMethod: 'GET', path: '/v1/pets' };
    expect(events).toMatchObject([{ ...request, headers: {} }, request]);
    const key = events[1]?.headers?.Authorization?.replace('Bearer ', '') ?? '';
    expect(isApiKeyOf(config().stage, key)).toBe(true);
    expect(actions).toEqual(['GetItem']);
  });

  it('asks CodeDeploy for the AppSpec of the deployment, which may be in either field of the revision', async () => {
    const revision = { revisionType: 'AppSpecContent', appSpecContent: { content } };

    const { invoked, calls } = await verify(running, { revision });

    expect(calls).toEqual([
      ['GetDeployment', { deploymentId: 'd-ABC' }],
      ['GetApplicationRevision', { applicationName: 'releases', revision: storedRevision }],
      reportOf('Succeeded'),
    ]);
    expect(invoked).toEqual(['createPet:7', 'createPet:7']);
  });

  it.each(['codeDeployRollback', 'CloudFormationRollback'])(
    'lets a rollback through without asking a version, and says so: %s',
    async (creator) => {
      const { invoked, report, errors } = await verify(crashing, { creator });

      expect(report).toEqual(reportOf('Succeeded'));
      expect(invoked).toEqual([]);
      expect(errors).toBe(
        `Deployment d-ABC: the new version is released without a check, as a rollback by ${creator}.`,
      );
    },
  );

  const properties = { Name: 'createPet', CurrentVersion: '6', TargetVersion: '7' };
  const specOf = (...resources: object[]) => JSON.stringify({ Resources: resources });
  it.each([
    ['is YAML', 'version: 0.0\nResources: []'],
    ['names two functions', specOf(...appSpec.Resources, ...appSpec.Resources)],
    // Without a version, Lambda would invoke `$LATEST`.
    [
      'names no new version',
      specOf({ createPet: { Properties: { ...properties, TargetVersion: '' } } }),
    ],
  ])('stops a deployment whose AppSpec %s, and logs why', async (_fault, text) => {
    const revision = { revisionType: 'String', string: { content: text } };

    const { invoked, report, errors } = await verify(running, { revision });

    expect(report).toEqual(reportOf('Failed'));
    expect(invoked).toEqual([]);
    expect(errors).toBe(
      `Deployment d-ABC: the new version is not released.,Error: The AppSpec must be JSON with one function: ${text}`,
    );
  });

  it('stops a deployment that CodeDeploy does not describe, which would wait an hour for a report', async () => {
    const { invoked, report } = await verify(running, { refusedAction: 'GetDeployment' });

    expect(report).toEqual(reportOf('Failed'));
    expect(invoked).toEqual([]);
  });

  it('stops a version that cannot reach DynamoDB while the current version can, after asking both again', async () => {
    captureLog();
    endRounds();
    let isCurrent = false;
    interceptDatabase(({ pass }) => (isCurrent ? pass() : Promise.reject(connectionReset())));

    const { events, invoked, report, errors } = await verify(
      (event) => {
        isCurrent = false;
        return running(event);
      },
      {
        current: (event) => {
          isCurrent = true;
          return running(event);
        },
      },
    );

    expect(report).toEqual(reportOf('Failed'));
    expect(errors).toContain(
      'Deployment d-ABC of createPet from version 6 to 7: the new version is not released.',
    );
    expect(errors).toContain('with a key that was never issued got the status 503');
    const round = ['createPet:7', 'createPet:6'];
    expect(invoked).toEqual(['createPet:7', ...round, ...round, ...round]);
    expect(events.slice(2)).toEqual(Array(5).fill(events[1]));
    expect(vi.mocked(pause).mock.calls).toEqual([[1_000], [1_000]]);
  });

  it('releases a version that responds 503 only once, by chance', async () => {
    let failures = 1;
    const failingOnce: Version = (event) =>
      event.headers?.Authorization && failures-- > 0 ? unavailable(event) : running(event);

    const { invoked, report, errors } = await verify(failingOnce);

    expect(report).toEqual(reportOf('Succeeded'));
    expect(errors).toBe('');
    expect(invoked).toEqual(['createPet:7', 'createPet:7', 'createPet:6', 'createPet:7']);
  });

  it('releases a version if neither version can reach DynamoDB, and says so', async () => {
    captureLog();
    interceptDatabase(() => Promise.reject(connectionReset()));

    const { invoked, report, errors } = await verify(running);

    expect(report).toEqual(reportOf('Succeeded'));
    expect(errors).toMatch(/released: the current version responds 503 too\.,Error/);
    expect(invoked).toEqual(['createPet:7', 'createPet:7', 'createPet:6']);
  });

  it.each<[string, Version, Version]>([
    ['without a key, which needs no database', () => ({ statusCode: 503 }), unavailable],
    ['while the current version crashes', unavailable, crashing],
    ['while the current version responds 500', unavailable, () => ({ statusCode: 500 })],
  ])('stops a version that keeps responding 503 %s', async (_fault, target, current) => {
    endRounds();

    const { report, errors } = await verify(target, { current });

    expect(report).toEqual(reportOf('Failed'));
    expect(errors).toContain('the new version is not released.');
    expect(errors).toContain('got the status 503');
  });

  it('stops a version that crashes, and logs why', async () => {
    const { report, errors } = await verify(crashing);

    expect(report).toEqual(reportOf('Failed'));
    expect(errors).toContain('Version 7 crashed: {"errorMessage":"no module"}');
  });

  it('invokes a version again if its first response does not come', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    onTestFinished(() => void vi.useRealTimers());
    let isLost = true;

    const { report, invoked } = await verify((event) => {
      if (!isLost) return running(event);
      isLost = false;
      vi.advanceTimersByTime(14_000);
      return new Promise(() => {});
    });

    expect(report).toEqual(reportOf('Succeeded'));
    expect(invoked).toEqual(['createPet:7', 'createPet:7', 'createPet:7']);
  });

  it('stops a version that never responds, in time for the report', async () => {
    const { timeout } = AbortSignal;
    const asked = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(20));

    const { report } = await verify(() => new Promise(() => {}));

    expect(report).toEqual(reportOf('Failed'));
    // The hook itself times out after 60 s.
    expect(asked.mock.calls).toEqual([[45_000], [24_000]]);
  });

  it('fails if CodeDeploy refuses the report, so that Lambda calls it again', async () => {
    const refusedAction = 'PutLifecycleEventHookExecutionStatus';

    await expect(verify(running, { refusedAction })).rejects.toThrow();
  });
});
