import { Aws } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Stage } from '../stageRules.ts';

/**
 * The topic that alarms and release notices go to, and from there to the operators, by mail or to their pager.
 *
 * It has no encryption key of its own: messages name alarms and numbers, never a client's data, and
 * mails are not encrypted either.
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
    } else if (alarmRecipient && 'https' in alarmRecipient) {
      this.addSubscription(new UrlSubscription(alarmRecipient.https));
    }
  }
}

/**
 * Points to a section of the runbook, by the anchor that Git hosts derive from its heading.
 *
 * The path is relative, because a fork has its own address and an operator may only have a clone.
 */
export function runbookLink(heading: string): string {
  return `Runbook: docs/runbook.md#${heading.toLowerCase().replaceAll(' ', '-')}`;
}
