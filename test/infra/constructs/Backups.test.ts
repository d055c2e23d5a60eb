import { describe, expect, it } from 'vitest';
import {
  idOf,
  production,
  propertiesOf,
  staging,
  synthesise,
  templateOf,
} from '../../helpers/templates.ts';

describe('Backups', () => {
  const plan = 'AWS::Backup::BackupPlan';

  it('save the pets and the API keys every day, for 35 days', () => {
    const vaultId = idOf(production, 'AWS::Backup::BackupVault');
    const [selection] = propertiesOf(production, 'AWS::Backup::BackupSelection');

    expect(propertiesOf(production, plan)).toEqual([
      {
        BackupPlan: {
          BackupPlanName: 'PetStore-v1-production',
          BackupPlanRule: [
            {
              RuleName: 'Daily',
              ScheduleExpression: 'cron(0 3 * * ? *)',
              Lifecycle: { DeleteAfterDays: 35 },
              TargetBackupVault: { 'Fn::GetAtt': [vaultId, 'BackupVaultName'] },
            },
          ],
        },
      },
    ]);
    expect(selection?.BackupSelection).toMatchObject({
      Resources: [
        { 'Fn::GetAtt': [expect.stringMatching(/^Pets/), 'Arn'] },
        { 'Fn::GetAtt': [expect.stringMatching(/^ApiKeys/), 'Arn'] },
      ],
    });
  });

  it('are in a vault that outlives the stack and denies their deletion', () => {
    production.hasResource('AWS::Backup::BackupVault', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        AccessPolicy: {
          Statement: [
            {
              Effect: 'Deny',
              Principal: { AWS: '*' },
              Action: ['backup:DeleteRecoveryPoint', 'backup:UpdateRecoveryPointLifecycle'],
              Resource: '*',
            },
          ],
        },
      },
    });
  });

  it('get a new vault name for each stack, because the vault of a deleted stack is retained', () => {
    const [vault] = propertiesOf(production, 'AWS::Backup::BackupVault');
    const stackUuid = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
    const startOfUuid = { 'Fn::Select': [0, { 'Fn::Split': ['-', stackUuid] }] };

    expect(vault?.BackupVaultName).toEqual({
      'Fn::Join': ['', ['PetStore-v1-production-', startOfUuid]],
    });
  });

  it('are absent from staging, and if the context leaves them out', () => {
    staging.resourceCountIs(plan, 0);
    templateOf(synthesise({ without: 'backup' }), 'PetStore-v1-production').resourceCountIs(
      plan,
      0,
    );
  });
});
