import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { isApiKeyOf } from '../../lib/apiKeys/apiKey.ts';
import { config } from '../../lib/config.ts';
import type { RawEvent } from '../../lib/http/event.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { connectionReset, interceptDatabase } from '../helpers/database.ts';
import { listen } from '../helpers/listen.ts';

vi.mock(import('node:timers/promises'), { spy: true });
beforeEach(() => {
  vi.mocked(pause).mockReset().mockResolvedValue(undefined);
});

/** What CloudFormation deploys by its `CodeDeployLambdaAliasUpdate`. */
const appSpec = {
  version: '0.0',
  Resources: [
    {
      createPet: {
        Type: 'AWS::Lambda::Function',
        Properties: { Name: 'createPet', Alias: 'live', CurrentVersion: '6', TargetVersion: '7' },
      },
    },
  ],
  Hooks: [{ BeforeAllowTraffic: 'verifyVersion' }],
};
const content = JSON.stringify(appSpec);

/** The revision as `GetDeployment` returns it, without the text of the AppSpec. */
const stored = { revisionType: 'String', string: { sha256: '5e1f' } };

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

const crashing = respondingWith(
  { errorMessage: 'no module' },
  { 'X-Amz-Function-Error': 'Unhandled' },
);

/** Sends a response of CodeDeploy. */
type Respond = (response: ServerResponse) => unknown;

type Fakes = {
  /** The version that has the traffic. */
  current?: Invoke;
  creator?: string;
  /** The revision that `GetApplicationRevision` returns. */
  revision?: object;
  /** Replaces the responses of CodeDeploy to actions. */
  codeDeploy?: Record<string, Respond>;
};

/** Fakes Lambda and CodeDeploy, and runs the hook as an instance that has just started. */
async function verify(
  target: Invoke,
  {
    current = running,
    creator = 'CloudFormation',
    revision = { revisionType: 'String', string: { content } },
    codeDeploy = {},
  }: Fakes = {},
) {
  const events: RawEvent[] = [];
  const invoked: string[] = [];
  const calls: [action: string, input: unknown][] = [];
  const results: Record<string, object> = {
    GetDeployment: { deploymentInfo: { applicationName: 'releases', creator, revision: stored } },
    GetApplicationRevision: { revision },
    PutLifecycleEventHookExecutionStatus: {},
  };
  const endpoint = await listen(async (request, response) => {
    const body = (await json(request)) as RawEvent;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const [, name] = /\/functions\/([^/]+)\/invocations/.exec(pathname) ?? [];
    if (name) {
      const version = searchParams.get('Qualifier');
      invoked.push(`${name}:${version}`);
      events.push(body);
      const invoke = version === '6' ? current : target;
      await invoke(body, response);
    } else {
      const action = String(request.headers['x-amz-target']).replace('CodeDeploy_20141006.', '');
      calls.push([action, body]);
      response.setHeader('Content-Type', 'application/x-amz-json-1.1');
      const respond = codeDeploy[action] ?? (() => response.end(JSON.stringify(results[action])));
      respond(response);
    }
  });
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_CODEDEPLOY', endpoint);
  // The SDK waits a random part of a second before a retry. Zero here.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  vi.resetModules();
  const { handler } = await import('../../functions/verifyVersion.ts');
  await handler({ DeploymentId: 'd-ABC', LifecycleEventHookExecutionId: 'hook-1' });
  return { events, invoked, calls, report: calls.at(-1), errors: logged.mock.calls.join() };
}

const reportOf = (status: 'Succeeded' | 'Failed') => [
  'PutLifecycleEventHookExecutionStatus',
  { deploymentId: 'd-ABC', lifecycleEventHookExecutionId: 'hook-1', status },
];

const refuse: Respond = (response) => response.writeHead(400).end('{}');

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

  it('asks CodeDeploy for the AppSpec of the deployment, in its older form or in this one', async () => {
    const revision = { revisionType: 'AppSpecContent', appSpecContent: { content } };

    const { invoked, calls } = await verify(running, { revision });

    expect(calls).toEqual([
      ['GetDeployment', { deploymentId: 'd-ABC' }],
      ['GetApplicationRevision', { applicationName: 'releases', revision: stored }],
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
    // Lambda would run the code that no version has.
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
    const { invoked, report } = await verify(running, { codeDeploy: { GetDeployment: refuse } });

    expect(report).toEqual(reportOf('Failed'));
    expect(invoked).toEqual([]);
  });

  it('stops a version that cannot reach DynamoDB while the current version can, after asking both again', async () => {
    captureLog();
    endRounds();
    let isCurrent = false;
    interceptDatabase(({ pass }) => (isCurrent ? pass() : Promise.reject(connectionReset())));

    const { events, invoked, report, errors } = await verify(
      (event, response) => {
        isCurrent = false;
        return running(event, response);
      },
      {
        current: (event, response) => {
          isCurrent = true;
          return running(event, response);
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
    const failingOnce: Invoke = (event, response) =>
      event.headers?.Authorization && failures-- > 0
        ? unavailable(event, response)
        : running(event, response);

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

  it.each<[string, Invoke, Invoke]>([
    ['without a key, which no database answers', respondingWith({ statusCode: 503 }), unavailable],
    ['while the current version crashes', unavailable, crashing],
    ['while the current version responds 500', unavailable, respondingWith({ statusCode: 500 })],
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

  it('stops a version that never responds, in time for the report', async () => {
    const { timeout } = AbortSignal;
    const asked = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(20));

    const { report } = await verify(() => {});

    expect(report).toEqual(reportOf('Failed'));
    // Of the 60 s that the hook has.
    expect(asked.mock.calls).toEqual([[45_000], [24_000]]);
  });

  it('fails if CodeDeploy refuses the report, so that Lambda calls it again', async () => {
    const codeDeploy = { PutLifecycleEventHookExecutionStatus: refuse };

    await expect(verify(running, { codeDeploy })).rejects.toThrow();
  });
});
