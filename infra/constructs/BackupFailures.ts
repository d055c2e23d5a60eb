import type { IBackupVault } from 'aws-cdk-lib/aws-backup';
import { EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { runbookLink } from '../runbookLink.ts';
import type { Stage } from '../stages.ts';

type BackupFailuresProps = { stage: Stage; vault: IBackupVault; topic: ITopic };

/** Tells of each daily backup that is missing, so that nobody learns it on the day it is needed. */
export class BackupFailures extends Rule {
  constructor(scope: Construct, id: string, { stage, vault, topic }: BackupFailuresProps) {
    super(scope, id, {
      description: `Tells of failed backups of ${stage.name}`,
      eventPattern: {
        source: ['aws.backup'],
        detailType: ['Backup Job State Change'],
        detail: {
          // Expired: it did not begin in its hours.
          state: ['FAILED', 'ABORTED', 'EXPIRED', 'PARTIAL'],
          backupVaultName: [vault.backupVaultName],
        },
      },
    });
    const job = EventField.fromPath('$.detail.backupJobId');
    const table = EventField.fromPath('$.detail.resourceArn');
    const state = EventField.fromPath('$.detail.state');
    this.addTarget(
      new SnsTopic(topic, {
        message: RuleTargetInput.fromText(
          `Backup of ${stage.name}: job ${job} of ${table} ended with ${state}. ${runbookLink('Backup failed')}`,
        ),
      }),
    );
  }
}
