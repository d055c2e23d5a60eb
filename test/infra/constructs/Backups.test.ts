import { describe, expect, it } from 'vitest';
import { idOf, production, propertiesOf, textOf } from '../../helpers/templates.ts';

describe('Backups', () => {
  const plan = 'AWS::Backup::BackupPlan';
  const vault = 'AWS::Backup::BackupVault';

  it('save the pets and the API keys every day, for 35 days', () => {
    const [selection = {}] = propertiesOf(production, 'AWS::Backup::BackupSelection');
    const { Resources } = selection.BackupSelection as { Resources: unknown[] };

    expect(propertiesOf(production, plan)).toEqual([
      {
        BackupPlan: {
          BackupPlanName: 'PetStore-v1-production',
          BackupPlanRule: [
            {
              RuleName: 'Daily',
              ScheduleExpression: 'cron(0 3 * * ? *)',
              Lifecycle: { DeleteAfterDays: 35 },
              TargetBackupVault: {
                'Fn::GetAtt': [idOf(production, vault), 'BackupVaultName'],
              },
            },
          ],
        },
      },
    ]);
    expect(Resources.map(textOf)).toEqual(['<Pets.Arn>', '<ApiKeys.Arn>']);
  });

  it('are in a vault that denies their deletion and another policy, outlives the stack and leaves its name free', () => {
    const stackUuid = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
    const startOfUuid = { 'Fn::Select': [0, { 'Fn::Split': ['-', stackUuid] }] };

    production.hasResource(vault, {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BackupVaultName: { 'Fn::Join': ['', ['PetStore-v1-production-', startOfUuid]] },
        AccessPolicy: {
          Statement: [
            {
              Effect: 'Deny',
              Principal: { AWS: '*' },
              Action: [
                'backup:DeleteRecoveryPoint',
                'backup:UpdateRecoveryPointLifecycle',
                'backup:PutBackupVaultAccessPolicy',
                'backup:DeleteBackupVaultAccessPolicy',
              ],
              Resource: '*',
            },
          ],
        },
      },
    });
  });
});
