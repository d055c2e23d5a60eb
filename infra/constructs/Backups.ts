import { Duration, Fn, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

type BackupsProps = { tableArns: string[]; retentionDays: number };

/**
 * A daily backup of each table, in a vault that outlives the stack.
 *
 * Point-in-time recovery is not enough: its history is lost when it is switched off.
 */
export class Backups extends Construct {
  readonly vault: BackupVault;

  constructor(scope: Construct, id: string, { tableArns, retentionDays }: BackupsProps) {
    super(scope, id);
    const { stackName, stackId } = Stack.of(this);
    // The id of a stack ends in a UUID.
    const startOfUuid = Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', stackId))));
    this.vault = new BackupVault(this, 'Vault', {
      // A recreated stack needs a new vault name: the retained vault keeps the old one.
      backupVaultName: `${stackName}-${startOfUuid}`,
      removalPolicy: RemovalPolicy.RETAIN,
      accessPolicy: new PolicyDocument({ statements: [denyDeletion()] }),
    });
    const plan = new BackupPlan(this, 'Plan', {
      backupPlanName: stackName,
      backupVault: this.vault,
    });
    plan.addRule(
      new BackupPlanRule({
        ruleName: 'Daily',
        scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
        deleteAfter: Duration.days(retentionDays),
      }),
    );
    plan.addSelection('Tables', { resources: tableArns.map(BackupResource.fromArn) });
    Validations.of(plan).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
      reason:
        'AWS extends this policy when its backups need more permissions. Backups with a policy of our own would then fail.',
    });
  }
}

/**
 * Denies everyone to delete a backup or to shorten its life, and to change or remove this policy.
 *
 * AWS Config's rule `backup-recovery-point-manual-deletion-disabled` wants the first three actions for
 * every principal and resource. Backups still expire. A vault without backups can be deleted, but a
 * vault never gets another policy.
 */
function denyDeletion(): PolicyStatement {
  return new PolicyStatement({
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: [
      'backup:DeleteRecoveryPoint',
      'backup:UpdateRecoveryPointLifecycle',
      'backup:PutBackupVaultAccessPolicy',
      'backup:DeleteBackupVaultAccessPolicy',
    ],
    resources: ['*'],
  });
}
