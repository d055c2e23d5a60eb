import {
  CodeDeployClient,
  PutLifecycleEventHookExecutionStatusCommand,
} from '@aws-sdk/client-codedeploy';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { checkService } from '../lib/health/checkService.ts';
import { basePath } from '../lib/operations.ts';

const { VERSION_ARN, STAGE = '' } = process.env;

/** For both requests. The rest of the hook's 60 s is for its report. */
const checkTimeoutMs = 45_000;

/** A function may take 10 s to respond, and a cold start a little more. */
const lambda = new LambdaClient({
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 14_000, throwOnRequestTimeout: true },
});

const codeDeploy = new CodeDeployClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
});

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
      status: (await isVersionHealthy()) ? 'Succeeded' : 'Failed',
    }),
  );
}

async function isVersionHealthy(): Promise<boolean> {
  const abortSignal = AbortSignal.timeout(checkTimeoutMs);
  try {
    await checkService((path, headers) => invokeVersion(path, headers, abortSignal), STAGE);
    return true;
  } catch (error) {
    // biome-ignore lint/suspicious/noConsole: the hook has no request to log, and Lambda adds the rest
    console.error('The new version is not released.', error);
    return false;
  }
}

/** Invokes the version with the event of a GET request. */
async function invokeVersion(
  path: string,
  headers: Record<string, string>,
  abortSignal: AbortSignal,
): Promise<Response> {
  const event = { httpMethod: 'GET', path: `${basePath}${path}`, headers };
  const { Payload, FunctionError } = await lambda.send(
    new InvokeCommand({ FunctionName: VERSION_ARN, Payload: JSON.stringify(event) }),
    { abortSignal },
  );
  const text = Payload?.transformToString() ?? '';
  if (FunctionError) throw new Error(`The version crashed: ${text}`);
  const response = JSON.parse(text);
  return new Response(response.body, { status: response.statusCode, headers: response.headers });
}
