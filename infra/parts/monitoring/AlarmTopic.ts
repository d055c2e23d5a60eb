import { Aws } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

export type Recipient = { email: string } | { https: string } | { none: string };

/**
 * A topic that sends alarms to the operators, by mail or to their pager.
 *
 * The topic has no encryption key of its own, because its messages never contain a client's data.
 */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { recipient }: { recipient: Recipient | undefined }) {
    super(scope, id, { enforceSSL: true });
    // A topic with a policy is closed to its own account, so CloudWatch must be allowed explicitly.
    this.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AllowAlarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        // CloudWatch has the same principal in all accounts. This condition allows only this account.
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
    if (recipient && 'email' in recipient) {
      this.addSubscription(new EmailSubscription(recipient.email));
    } else if (recipient && 'https' in recipient) {
      this.addSubscription(new UrlSubscription(recipient.https));
    }
  }
}
