import { Stack } from 'aws-cdk-lib';
import { EventField, type EventPattern, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Stage } from '../../stageSchema.ts';
import { operatorMessage, type Urgency } from '../monitoring/AlarmTopic.ts';

type ReleaseNoticesProps = {
  stage: Stage;
  applicationName: string;
  topics: Record<Urgency, ITopic>;
};

/**
 * Reports each release that failed or was rolled back, and a stack that is stuck in its rollback.
 *
 * These are rules, not alarms, because CodeDeploy and CloudFormation publish no metrics. An alarm that counts
 * events would report "OK" five minutes later.
 */
export function addReleaseNotices(
  scope: Construct,
  { stage, applicationName, topics }: ReleaseNoticesProps,
): void {
  const report = (
    id: string,
    urgency: Urgency,
    runbook: string,
    eventPattern: EventPattern,
    problem: string,
  ) => {
    const message = RuleTargetInput.fromText(operatorMessage(problem, urgency, runbook));
    // EventBridge publishes with a role, which no other account can use. Without a role it sends no
    // `aws:SourceAccount`, so a topic that requires this condition would silently refuse the messages.
    const target = new SnsTopic(topics[urgency], { message, authorizeUsingRole: true });
    new Rule(scope, id, { eventPattern, targets: [target] });
  };
  const field = (name: string) => EventField.fromPath(`$.detail.${name}`);
  report(
    'ReleaseFailures',
    'low',
    'Release failed',
    {
      source: ['aws.codedeploy'],
      detailType: ['CodeDeploy Deployment State-change Notification'],
      // A deployment that an alarm or an operator ends has the state STOP, not FAILURE.
      detail: { state: ['FAILURE', 'STOP'], application: [applicationName] },
    },
    `Release of ${stage.name}: deployment ${field('deploymentId')} of ${field('deploymentGroup')} ended with ${field('state')}. Clients stay on the previous version or return to it.`,
  );
  report(
    'StuckRollback',
    'high',
    'Rollback stuck',
    {
      source: ['aws.cloudformation'],
      detailType: ['CloudFormation Stack Status Change'],
      detail: {
        'stack-id': [Stack.of(scope).stackId],
        'status-details': { status: ['UPDATE_ROLLBACK_FAILED'] },
      },
    },
    `The stack of ${stage.name} is in UPDATE_ROLLBACK_FAILED and accepts no deployment: ${field('status-details.status-reason')}`,
  );
}
