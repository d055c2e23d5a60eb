import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { vi } from 'vitest';
import type { RawEvent } from '../../lib/http/event.ts';
import type { Handler } from '../../lib/http/handler.ts';
import { listen } from './listen.ts';

export const versionArn = 'arn:aws:lambda:eu-west-1:111122223333:function:getPet:7';

/** Sends the response of the new version. */
export type Invoke = (sent: RawEvent, response: ServerResponse) => unknown;

/** Sends CodeDeploy's response to a verdict. */
export type Hear = (response: ServerResponse) => unknown;

type Release = {
  /** The function whose new version is released. */
  name: string;
  hear: Hear;
};

type Aws = {
  /** The events of the invocations. */
  events: RawEvent[];
  /** The ARNs of the invocations. */
  invoked: string[];
  /** The verdicts that CodeDeploy received. */
  verdicts: unknown[];
};

/** Fakes CodeDeploy, and Lambda with `invoke` as the new version. */
export async function releasingAws(
  invoke: Invoke,
  { name = 'getPet', hear = (response) => response.end('{}') }: Partial<Release> = {},
): Promise<Aws> {
  const aws: Aws = { events: [], invoked: [], verdicts: [] };
  const endpoint = await listen(async (request, response) => {
    const body = await json(request);
    const [, arn] = /\/functions\/([^/]+)\/invocations/.exec(request.url ?? '') ?? [];
    if (arn) {
      aws.invoked.push(decodeURIComponent(arn));
      aws.events.push(body as RawEvent);
      await invoke(body as RawEvent, response);
    } else {
      aws.verdicts.push(body);
      hear(response.setHeader('Content-Type', 'application/x-amz-json-1.1'));
    }
  });
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_CODEDEPLOY', endpoint);
  vi.stubEnv('VERSION_ARN', versionArn);
  vi.stubEnv('VERIFIED_FUNCTION', name);
  // The SDK waits a random part of a second before a retry. Zero here.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  return aws;
}

/** The new version is one of our own functions. */
export const running =
  (version: Handler): Invoke =>
  async (sent, response) =>
    response.end(JSON.stringify(await version(sent, {})));

/** Loads the hook as an instance that starts. Returns a function that calls it. */
export async function loadHook(): Promise<() => Promise<void>> {
  vi.resetModules();
  const { handler } = await import('../../functions/verifyVersion.ts');
  return () => handler({ DeploymentId: 'd-ABC', LifecycleEventHookExecutionId: 'hook-1' });
}

/** Calls the hook as an instance that has just started. */
export async function verifyVersion(): Promise<void> {
  const hook = await loadHook();
  await hook();
}

/** The verdict that CodeDeploy receives from the hook. */
export const verdict = (status: 'Succeeded' | 'Failed') => ({
  deploymentId: 'd-ABC',
  lifecycleEventHookExecutionId: 'hook-1',
  status,
});
