import { Stack } from 'aws-cdk-lib';
import { EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Stage } from '../stageRules.ts';
import { runbookLink } from './AlarmTopic.ts';

const field = (name: string) => EventField.fromPath(`$.detail.${name}`);

type FailureNoticeProps = {
  source: string;
  detailType: string;
  detail: Record<string, unknown>;
  text: string;
  /** The heading in the runbook. */
  runbook: string;
  topic: ITopic;
};

/**
 * Reports an event that is a failure.
 *
 * It is a rule, not an alarm: CodeDeploy and CloudFormation publish no metric. An alarm on an event would
 * report "OK" five minutes later.
 */
class FailureNotice extends Rule {
  constructor(scope: Construct, id: string, props: FailureNoticeProps) {
    const { source, detailType, detail, text, runbook, topic } = props;
    super(scope, id, {
      eventPattern: { source: [source], detailType: [detailType], detail },
    });
    const message = RuleTargetInput.fromText(`${text} ${runbookLink(runbook)}`);
    // A role of this account publishes, which no other account can use. EventBridge itself sends a topic
    // no `aws:SourceAccount`: a policy with this condition would silently refuse its messages.
    this.addTarget(new SnsTopic(topic, { message, authorizeUsingRole: true }));
  }
}

type ReleaseNoticesProps = { stage: Stage; applicationName: string; topic: ITopic };

/** Reports each release that failed or was rolled back, and a stack that is stuck in its rollback. */
export function addReleaseNotices(
  scope: Construct,
  { stage, applicationName, topic }: ReleaseNoticesProps,
): void {
  new FailureNotice(scope, 'ReleaseFailures', {
    source: 'aws.codedeploy',
    detailType: 'CodeDeploy Deployment State-change Notification',
    // A deployment that an alarm or an operator ends is stopped, not failed.
    detail: { state: ['FAILURE', 'STOP'], application: [applicationName] },
    text: `Release of ${stage.name}: deployment ${field('deploymentId')} of ${field('deploymentGroup')} ended with ${field('state')}. Clients stay on the previous version or return to it.`,
    runbook: 'Release failed',
    topic,
  });
  new FailureNotice(scope, 'StuckRollback', {
    source: 'aws.cloudformation',
    detailType: 'CloudFormation Stack Status Change',
    detail: {
      'stack-id': [Stack.of(scope).stackId],
      'status-details': { status: ['UPDATE_ROLLBACK_FAILED'] },
    },
    text: `The stack of ${stage.name} is in UPDATE_ROLLBACK_FAILED and accepts no deployment: ${field('status-details.status-reason')}`,
    runbook: 'Rollback stuck',
    topic,
  });
}
