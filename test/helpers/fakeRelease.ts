import { json } from 'node:stream/consumers';
import { handler as createPet } from '../../functions/createPet.ts';
import type { RawEvent } from '../../lib/http/event.ts';
import { listen } from './listen.ts';

/** Returns what a version of a function responds. A response with an `errorMessage` is a crash. */
export type Version = (event: RawEvent) => unknown;

/** A version that works: the function of these sources. */
export const running: Version = (event) => createPet(event, {});

/** The part of an AppSpec that the hook reads. CloudFormation writes it for a `CodeDeployLambdaAliasUpdate`. */
export const appSpec = {
  Resources: [
    {
      createPet: {
        Properties: { Name: 'createPet', Alias: 'live', CurrentVersion: '6', TargetVersion: '7' },
      },
    },
  ],
};

/** The revision as `GetDeployment` returns it, without the text of the AppSpec. */
export const storedRevision = { revisionType: 'String', string: { sha256: '5e1f' } };

export type Release = {
  /** The version that gets the traffic. */
  target?: Version;
  /** The version that has the traffic. */
  current?: Version;
  creator?: string;
  /** The revision that `GetApplicationRevision` returns. */
  revision?: object;
  /** The action of CodeDeploy that responds 400. */
  refusedAction?: string;
};

/** Fakes CodeDeploy and Lambda for one test, and records what they are asked. */
export async function fakeRelease({
  target = running,
  current = running,
  creator = 'CloudFormation',
  revision = { revisionType: 'String', string: { content: JSON.stringify(appSpec) } },
  refusedAction,
}: Release = {}) {
  const events: RawEvent[] = [];
  const invoked: string[] = [];
  const calls: [action: string, input: unknown][] = [];
  const deploymentInfo = { applicationName: 'releases', creator, revision: storedRevision };
  const results: Record<string, object> = {
    GetDeployment: { deploymentInfo },
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
      const payload = await (version === '6' ? current : target)(body);
      if (Object(payload).errorMessage) response.setHeader('X-Amz-Function-Error', 'Unhandled');
      response.end(JSON.stringify(payload));
    } else {
      const action = String(request.headers['x-amz-target']).replace('CodeDeploy_20141006.', '');
      calls.push([action, body]);
      if (action === refusedAction) response.statusCode = 400;
      response.setHeader('Content-Type', 'application/x-amz-json-1.1');
      response.end(JSON.stringify(results[action]));
    }
  });
  const environment = { AWS_ENDPOINT_URL_LAMBDA: endpoint, AWS_ENDPOINT_URL_CODEDEPLOY: endpoint };
  return { environment, events, invoked, calls };
}
