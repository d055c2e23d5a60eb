import { Aws, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
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
    this.allowPublishing('AllowAlarms', 'cloudwatch');
    this.allowPublishing('AllowBudgets', 'budgets', {
      ArnLike: { 'aws:SourceArn': `arn:${Aws.PARTITION}:budgets::${Aws.ACCOUNT_ID}:*` },
    });
    const { alarmRecipient = { none: '' } } = stage;
    if ('email' in alarmRecipient) {
      this.addSubscription(new EmailSubscription(alarmRecipient.email));
    }
  }

  /** Only for this account: others have the same service. */
  private allowPublishing(sid: string, service: string, conditions = {}): void {
    this.addToResourcePolicy(
      new PolicyStatement({
        sid,
        principals: [new ServicePrincipal(`${service}.amazonaws.com`)],
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID }, ...conditions },
      }),
    );
  }
}

type RunbookAlarmProps = {
  /** One or two sentences for an operator on call: the problem, and who is affected. */
  impact: string;
  /** The heading in the runbook. */
  runbook: string;
  metric: IMetric;
  /** The alarm goes off when the metric reaches this value … */
  threshold: number;
  /** … in this number of periods … */
  periods?: number;
  /** … out of this number. By default the periods must be consecutive. */
  outOf?: number;
  /** Whether the metric must reach the threshold: the alarm goes off below it, and without data. */
  isRequired?: boolean;
  /** Gets the alarm. An alarm without a topic is for CodeDeploy, or part of a composite alarm. */
  topic?: ITopic;
  /** The end of the alarm's name. A new ending replaces the alarm with a new one. */
  nameEnding?: string;
};

/** An alarm that says what is wrong, who is affected and which runbook section to read. */
export class RunbookAlarm extends Alarm {
  constructor(scope: Construct, id: string, props: RunbookAlarmProps) {
    const { impact, runbook, metric, threshold, topic, nameEnding = '' } = props;
    const { periods = 1, outOf = periods, isRequired = false } = props;
    super(scope, id, {
      // The subject of the mail, and the name for `describe-alarms --alarm-name-prefix`.
      alarmName: `${Stack.of(scope).stackName}-${id}${nameEnding}`,
      alarmDescription: `${impact} ${runbookLink(runbook)}`,
      metric,
      threshold,
      comparisonOperator: isRequired
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: outOf,
      datapointsToAlarm: periods,
      // A service without requests is not broken.
      treatMissingData: isRequired ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    if (topic) {
      this.addAlarmAction(new SnsAction(topic));
      this.addOkAction(new SnsAction(topic));
    }
  }
}

const field = (name: string) => EventField.fromPath(`$.detail.${name}`);

const failures = {
  backup: {
    source: 'aws.backup',
    detailType: 'Backup Job State Change',
    // An expired job did not start within its window.
    states: ['FAILED', 'ABORTED', 'EXPIRED', 'PARTIAL'],
    ownerField: 'backupVaultName',
    text: (stage: string) =>
      `Backup of ${stage}: job ${field('backupJobId')} of ${field('resourceArn')} ended with ${field('state')}.`,
    runbook: 'Backup failed',
  },
  release: {
    source: 'aws.codedeploy',
    detailType: 'CodeDeploy Deployment State-change Notification',
    // A deployment that an alarm or an operator ends is stopped, not failed.
    states: ['FAILURE', 'STOP'],
    ownerField: 'application',
    text: (stage: string) =>
      `Release of ${stage}: deployment ${field('deploymentId')} of ${field('deploymentGroup')} ended with ${field('state')}. Clients stay on the previous version or return to it.`,
    runbook: 'Release failed',
  },
};

type FailureNoticeProps = {
  stage: Stage;
  of: keyof typeof failures;
  /** The name of the stage's own backup vault or CodeDeploy application. */
  owner: string;
  topic: ITopic;
};

/**
 * Reports each failed daily backup, or each release that failed or was rolled back.
 *
 * It is a rule, not an alarm: these failures are events, and CodeDeploy publishes no metric. An alarm
 * built on an event would report "OK" five minutes later.
 */
export class FailureNotice extends Rule {
  constructor(scope: Construct, id: string, { stage, of, owner, topic }: FailureNoticeProps) {
    const { source, detailType, states, ownerField, text, runbook } = failures[of];
    super(scope, id, {
      description: `Reports failed ${of}s of ${stage.name}`,
      eventPattern: {
        source: [source],
        detailType: [detailType],
        detail: { state: states, [ownerField]: [owner] },
      },
    });
    const message = RuleTargetInput.fromText(`${text(stage.name)} ${runbookLink(runbook)}`);
    // A role of this account publishes, which no other account can use. EventBridge itself sends a topic
    // no `aws:SourceAccount`: a policy with this condition would silently refuse its messages.
    this.addTarget(new SnsTopic(topic, { message, authorizeUsingRole: true }));
  }
}

/**
 * Points to a section of the runbook, by the anchor that Git hosts derive from its heading.
 *
 * The path is relative, because a fork has its own address and an operator may only have a clone.
 */
export function runbookLink(heading: string): string {
  return `Runbook: docs/alarms.md#${heading.toLowerCase().replaceAll(' ', '-')}`;
}
