import { EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { runbookLink } from '../runbookLink.ts';
import type { Stage } from '../stages.ts';

const field = (name: string) => EventField.fromPath(`$.detail.${name}`);

const failures = {
  backup: {
    source: 'aws.backup',
    detailType: 'Backup Job State Change',
    // Expired: it did not begin in its hours.
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
      `Release of ${stage}: deployment ${field('deploymentId')} of ${field('deploymentGroup')} ended with ${field('state')}. Clients keep, or get back, the version before.`,
    runbook: 'Release failed',
  },
};

type FailureNoticeProps = {
  stage: Stage;
  of: keyof typeof failures;
  /** The name of the vault or application that is the stage's own. */
  owner: string;
  topic: ITopic;
};

/**
 * Tells of each daily backup that is missing, so that nobody learns it on the day it is needed, or of
 * each release that CodeDeploy turned back or gave up.
 *
 * It is a rule and not an alarm, because such a failure is an event: CodeDeploy publishes no metric. An
 * alarm made of it would say five minutes later that all is well.
 */
export class FailureNotice extends Rule {
  constructor(scope: Construct, id: string, { stage, of, owner, topic }: FailureNoticeProps) {
    const { source, detailType, states, ownerField, text, runbook } = failures[of];
    super(scope, id, {
      description: `Tells of failed ${of}s of ${stage.name}`,
      eventPattern: {
        source: [source],
        detailType: [detailType],
        detail: { state: states, [ownerField]: [owner] },
      },
    });
    const message = RuleTargetInput.fromText(`${text(stage.name)} ${runbookLink(runbook)}`);
    this.addTarget(new SnsTopic(topic, { message }));
  }
}
