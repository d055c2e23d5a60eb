import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

/**
 * Where alarms go, and from there by mail to the operators.
 *
 * It has no key of its own: the messages name alarms and numbers, nothing of a client, and a mail is
 * no better protected. SNS takes them over TLS alone.
 */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { alarmEmail }: { alarmEmail: string | undefined }) {
    super(scope, id, { enforceSSL: true });
    const { account } = Stack.of(this);
    // A topic with a policy is no longer open to its own account, so the alarms need a word of it.
    this.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AllowAlarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    );
    if (alarmEmail) this.addSubscription(new EmailSubscription(alarmEmail));
  }
}
