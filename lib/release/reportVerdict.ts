import {
  CodeDeployClient,
  type LifecycleEventStatus,
  PutLifecycleEventHookExecutionStatusCommand,
} from '@aws-sdk/client-codedeploy';

/** The event of a CodeDeploy hook. */
export type ReleaseEvent = { DeploymentId: string; LifecycleEventHookExecutionId: string };

const codeDeploy = new CodeDeployClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
});

/** Tells CodeDeploy whether to continue. Without a report, CodeDeploy fails the release after an hour. */
export async function reportVerdict(
  { DeploymentId, LifecycleEventHookExecutionId }: ReleaseEvent,
  status: Extract<LifecycleEventStatus, 'Succeeded' | 'Failed'>,
): Promise<void> {
  await codeDeploy.send(
    new PutLifecycleEventHookExecutionStatusCommand({
      deploymentId: DeploymentId,
      lifecycleEventHookExecutionId: LifecycleEventHookExecutionId,
      status,
    }),
  );
}
