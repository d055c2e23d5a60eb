import { setTimeout as pause } from 'node:timers/promises';
import {
  CodeDeployClient,
  type DeploymentCreator,
  type DeploymentInfo,
  GetApplicationRevisionCommand,
  GetDeploymentCommand,
  PutLifecycleEventHookExecutionStatusCommand,
} from '@aws-sdk/client-codedeploy';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod/mini';
import { assertServiceResponds } from '../../lib/assertServiceResponds.ts';
import { errorStatuses } from '../../lib/errors.ts';
import { basePath } from '../../lib/operations.ts';

/** How long the parts of the hook may take. infra/parts/releases/Releases.ts gives the function 60 s. */
const timeouts = {
  connectionMs: 1_000,
  /** For each of three attempts of a call to CodeDeploy. */
  codeDeployMs: 3_000,
  /** The hook tries each invocation of a version twice, because a cold start may be slow. */
  invocationMs: 14_000,
  /** Later, no round begins that asks both versions again. A round takes up to 20 s. */
  roundsMs: 24_000,
  pauseMs: 1_000,
  /** For everything before the report to CodeDeploy. The rest is for three attempts to report. */
  verificationMs: 45_000,
} as const;

const { STAGE = '' } = process.env;

const settings = (maxAttempts: number, requestTimeout: number) => ({
  maxAttempts,
  requestHandler: {
    connectionTimeout: timeouts.connectionMs,
    requestTimeout,
    throwOnRequestTimeout: true,
  },
});
const lambda = new LambdaClient(settings(2, timeouts.invocationMs));
const codeDeploy = new CodeDeployClient(settings(3, timeouts.codeDeployMs));

const rollbackCreators = new Set<DeploymentCreator | undefined>([
  'codeDeployRollback',
  'CloudFormationRollback',
]);

const nonEmptyText = z.string().check(z.minLength(1));

/** The part of an AppSpec that names the function and its versions. */
const AppSpec = z.object({
  Resources: z.tuple([
    z.record(
      z.string(),
      z.object({
        Properties: z.object({
          Name: nonEmptyText,
          CurrentVersion: nonEmptyText,
          TargetVersion: nonEmptyText,
        }),
      }),
    ),
  ]),
});

type HookEvent = { DeploymentId: string; LifecycleEventHookExecutionId: string };

/**
 * Verifies the new version of a deployment before it gets traffic. CodeDeploy calls this hook and waits for
 * its report.
 *
 * Without a report, CodeDeploy fails the release after an hour.
 */
export async function handler(event: HookEvent): Promise<void> {
  await codeDeploy.send(
    new PutLifecycleEventHookExecutionStatusCommand({
      deploymentId: event.DeploymentId,
      lifecycleEventHookExecutionId: event.LifecycleEventHookExecutionId,
      status: (await isReleasable(event.DeploymentId)) ? 'Succeeded' : 'Failed',
    }),
  );
}

/**
 * Returns whether traffic may shift to the new version: it responds as it promises, or both versions
 * respond 503.
 *
 * If both versions respond 503, the cause is DynamoDB. The fix of a bad version must not wait for DynamoDB.
 * A rollback is not checked, because the check could only keep the bad version.
 */
async function isReleasable(deploymentId: string): Promise<boolean> {
  const abortSignal = AbortSignal.timeout(timeouts.verificationMs);
  const roundDeadline = AbortSignal.timeout(timeouts.roundsMs);
  let subject = `Deployment ${deploymentId}`;
  const log = (result: string, ...reason: unknown[]) =>
    // biome-ignore lint/suspicious/noConsole: the hook has no request to log, and Lambda adds the rest
    console.error(`${subject}: the new version is ${result}`, ...reason);
  let isCurrentUnavailable = false;
  try {
    const { deploymentInfo = {} } = await codeDeploy.send(
      new GetDeploymentCommand({ deploymentId }),
      { abortSignal },
    );
    if (rollbackCreators.has(deploymentInfo.creator)) {
      log(`released without a check, as a rollback by ${deploymentInfo.creator}.`);
      return true;
    }
    const { Name, CurrentVersion, TargetVersion } = await readAppSpec(deploymentInfo, abortSignal);
    subject += ` of ${Name} from version ${CurrentVersion} to ${TargetVersion}`;
    await assertServiceResponds(async (path, headers) => {
      const ask = (version: string) => invokeFunction(Name, version, path, headers, abortSignal);
      for (;;) {
        const response = await ask(TargetVersion);
        if (!isUnavailable(response)) return response;
        isCurrentUnavailable = await ask(CurrentVersion).then(isUnavailable, () => false);
        if (isCurrentUnavailable || roundDeadline.aborted) return response;
        // By chance, DynamoDB may have failed only the requests of the new version.
        await pause(timeouts.pauseMs);
      }
    }, STAGE);
    return true;
  } catch (error) {
    const reason = isCurrentUnavailable
      ? 'released: the current version responds 503 too.'
      : 'not released.';
    log(reason, error);
    return isCurrentUnavailable;
  }
}

/** Returns the function of a deployment and its versions. `GetDeployment` leaves out the AppSpec's text. */
async function readAppSpec(
  { applicationName, revision }: DeploymentInfo,
  abortSignal: AbortSignal,
) {
  const command = new GetApplicationRevisionCommand({ applicationName, revision });
  const { revision: found } = await codeDeploy.send(command, { abortSignal });
  // CloudFormation still fills `string`, which is deprecated in favour of `appSpecContent`.
  const content = found?.string?.content ?? found?.appSpecContent?.content ?? '';
  try {
    const { Resources } = AppSpec.parse(JSON.parse(content));
    const [resource] = Object.values(Resources[0]);
    if (!resource) throw new Error('It names no function.');
    return resource.Properties;
  } catch (cause) {
    // CodeDeploy also accepts YAML, but only a deployment by hand can contain it.
    throw new Error(`The AppSpec must be JSON with one function: ${content}`, { cause });
  }
}

const isUnavailable = ({ status }: Response) => status === errorStatuses.service_unavailable;

/** Invokes a version with the event of a GET request. */
async function invokeFunction(
  name: string,
  version: string,
  path: string,
  headers: Record<string, string>,
  abortSignal: AbortSignal,
): Promise<Response> {
  const event = { httpMethod: 'GET', path: `${basePath}${path}`, headers };
  const { Payload, FunctionError } = await lambda.send(
    new InvokeCommand({
      FunctionName: name,
      Qualifier: version,
      Payload: JSON.stringify(event),
    }),
    { abortSignal },
  );
  const text = Payload?.transformToString() ?? '';
  if (FunctionError) throw new Error(`Version ${version} crashed: ${text}`);
  const response = JSON.parse(text);
  return new Response(response.body, { status: response.statusCode, headers: response.headers });
}
