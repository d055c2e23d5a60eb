import {
  CodeDeployClient,
  type LifecycleEventStatus,
  PutLifecycleEventHookExecutionStatusCommand,
} from '@aws-sdk/client-codedeploy';

/** What CodeDeploy calls a hook with. */
export type ReleaseEvent = { DeploymentId: string; LifecycleEventHookExecutionId: string };

const codeDeploy = new CodeDeployClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
});

/** Tells CodeDeploy whether the release goes on. Unheard, CodeDeploy waits for an hour and fails it. */
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
