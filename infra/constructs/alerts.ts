import { Aws, Stack } from 'aws-cdk-lib';
import { EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Stage } from '../stages.ts';

/**
 * The topic that alarms and failure notices go to, and from there to the operators by mail.
 *
 * It has no encryption key of its own: messages name alarms and numbers, never a client's data, and
 * mail is no better protected.
 */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { stage }: { stage: Stage }) {
    super(scope, id, { enforceSSL: true });
    // A topic with a policy is closed to its own account, so CloudWatch must be allowed explicitly.
    this.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AllowAlarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        // Only for this account: others have the same service.
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
    const { alarmRecipient } = stage;
    if (alarmRecipient && 'email' in alarmRecipient) {
      this.addSubscription(new EmailSubscription(alarmRecipient.email));
    }
  }
}

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
 * It is a rule, not an alarm: CodeDeploy and CloudFormation publish no metric, and an alarm built on an
 * event would report "OK" five minutes later.
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

/**
 * Points to a section of the runbook, by the anchor that Git hosts derive from its heading.
 *
 * The path is relative, because a fork has its own address and an operator may only have a clone.
 */
export function runbookLink(heading: string): string {
  return `Runbook: docs/runbook.md#${heading.toLowerCase().replaceAll(' ', '-')}`;
}
