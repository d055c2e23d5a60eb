import { readFileSync } from 'node:fs';
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

  it('are made of the pets and the API keys every day, and kept for 35 days', () => {
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

  it('lie in a vault that outlives the stack and lets nobody delete them', () => {
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

  it('get a vault of their own from each stack, because the one of a stack that is gone stays', () => {
    const [vault] = propertiesOf(production, 'AWS::Backup::BackupVault');
    const stackUuid = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
    const uuidBegin = { 'Fn::Select': [0, { 'Fn::Split': ['-', stackUuid] }] };

    expect(vault?.BackupVaultName).toEqual({
      'Fn::Join': ['', ['PetStore-v1-production-', uuidBegin]],
    });
  });

  it('are told of where one is missing, with what to read', () => {
    const vaultId = idOf(production, 'AWS::Backup::BackupVault');
    const rules = propertiesOf(production, 'AWS::Events::Rule');
    const rule = rules.find(({ EventPattern }) =>
      JSON.stringify(EventPattern).includes('aws.backup'),
    );

    expect(rule?.EventPattern).toEqual({
      source: ['aws.backup'],
      'detail-type': ['Backup Job State Change'],
      detail: {
        state: ['FAILED', 'ABORTED', 'EXPIRED', 'PARTIAL'],
        backupVaultName: [{ 'Fn::GetAtt': [vaultId, 'BackupVaultName'] }],
      },
    });
    expect(JSON.stringify(rule?.Targets)).toContain('docs/operations.md#backup-failed');
    expect(readFileSync('docs/operations.md', 'utf8')).toContain('\n### Backup failed\n');
  });

  it('are left out of staging, and where a deployment goes without them', () => {
    staging.resourceCountIs(plan, 0);
    templateOf(synthesise({ without: 'backup' }), 'PetStore-v1-production').resourceCountIs(
      plan,
      0,
    );
  });
});
