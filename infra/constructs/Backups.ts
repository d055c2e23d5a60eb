import { Duration, Fn, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';

type BackupsProps = { tableArns: string[]; retentionDays: number };

/**
 * A backup of each table a day, in a vault that outlives the stack.
 *
 * Beside point-in-time recovery, whose history goes as soon as somebody switches it off.
 */
export class Backups extends Construct {
  readonly vault: BackupVault;

  constructor(scope: Construct, id: string, { tableArns, retentionDays }: BackupsProps) {
    super(scope, id);
    const { stackName, stackId } = Stack.of(this);
    // The id of a stack ends in a UUID.
    const beginOfUuid = Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', stackId))));
    this.vault = new BackupVault(this, 'Vault', {
      // A stack that is made anew has a vault anew: the old one is still there, and has its name.
      backupVaultName: `${stackName}-${beginOfUuid}`,
      removalPolicy: RemovalPolicy.RETAIN,
      // For everybody, until somebody lifts the vault's policy first: two steps, not a slip.
      blockRecoveryPointDeletion: true,
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
        'AWS adds to this policy what its backups come to need; a policy of our own that lacks it would end them at night, without a word.',
    });
  }
}
