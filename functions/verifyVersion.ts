import {
  CodeDeployClient,
  PutLifecycleEventHookExecutionStatusCommand,
} from '@aws-sdk/client-codedeploy';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { checkService } from '../lib/checkService.ts';
import { timeouts } from '../lib/config.ts';
import { errorStatuses } from '../lib/errors.ts';
import { basePath } from '../lib/operations.ts';

const { VERSION_ARN = '', LIVE_ARN = '', STAGE = '' } = process.env;

const settings = (maxAttempts: number, requestTimeout: number) => ({
  maxAttempts,
  requestHandler: {
    connectionTimeout: timeouts.hookConnectionMs,
    requestTimeout,
    throwOnRequestTimeout: true,
  },
});
const lambda = new LambdaClient(settings(2, timeouts.hookInvocationMs));
const codeDeploy = new CodeDeployClient(settings(3, timeouts.hookReportMs));

type HookEvent = { DeploymentId: string; LifecycleEventHookExecutionId: string };

/**
 * Verifies a new version before it gets traffic. CodeDeploy calls this hook and waits for its report.
 *
 * Without a report, CodeDeploy fails the release after an hour.
 */
export async function handler(event: HookEvent): Promise<void> {
  await codeDeploy.send(
    new PutLifecycleEventHookExecutionStatusCommand({
      deploymentId: event.DeploymentId,
      lifecycleEventHookExecutionId: event.LifecycleEventHookExecutionId,
      status: (await isReleasable()) ? 'Succeeded' : 'Failed',
    }),
  );
}

/**
 * Returns whether traffic may shift to the new version: it responds as it promises, or both versions
 * respond 503.
 *
 * A rollback passes this hook too. While DynamoDB fails, it must not keep clients on a bad version.
 */
async function isReleasable(): Promise<boolean> {
  const abortSignal = AbortSignal.timeout(timeouts.hookInvocationsMs);
  let isLiveUnavailable = false;
  try {
    await checkService(async (path, headers) => {
      const ask = (arn: string) => invokeFunction(arn, path, headers, abortSignal);
      const response = await ask(VERSION_ARN);
      isLiveUnavailable = isUnavailable(response) && isUnavailable(await ask(LIVE_ARN));
      return response;
    }, STAGE);
    return true;
  } catch (error) {
    const reason = isLiveUnavailable
      ? 'The new version is released: the live version responds 503 too.'
      : 'The new version is not released.';
    // biome-ignore lint/suspicious/noConsole: the hook has no request to log, and Lambda adds the rest
    console.error(reason, error);
    return isLiveUnavailable;
  }
}

const isUnavailable = ({ status }: Response) => status === errorStatuses.service_unavailable;

/** Invokes a version, or the alias, with the event of a GET request. */
async function invokeFunction(
  arn: string,
  path: string,
  headers: Record<string, string>,
  abortSignal: AbortSignal,
): Promise<Response> {
  const event = { httpMethod: 'GET', path: `${basePath}${path}`, headers };
  const { Payload, FunctionError } = await lambda.send(
    new InvokeCommand({ FunctionName: arn, Payload: JSON.stringify(event) }),
    { abortSignal },
  );
  const text = Payload?.transformToString() ?? '';
  if (FunctionError) throw new Error(`${arn} crashed: ${text}`);
  const response = JSON.parse(text);
  return new Response(response.body, { status: response.statusCode, headers: response.headers });
}
