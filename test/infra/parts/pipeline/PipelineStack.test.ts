import { describe, expect, it } from 'vitest';
import { stackName } from '../../../../infra/core/stackNames.ts';
import { checkStages } from '../../../../infra/stageSchema.ts';
import {
  bareStage,
  type Changes,
  checkChanged,
  durableName,
  otherName,
} from '../../../helpers/bareStage.ts';
import { fullStacks } from '../../../helpers/fullStacks.ts';
import { permissionsOf, propertiesOf, templateOf } from '../../../helpers/templates.ts';

describe('the settings of a pipeline', () => {
  const settings = { account: { id: '111122223333' }, githubRepository: 'example/petstore' };

  it.each(['example/petstore', 'example@123456/petstore@456789'])(
    'have a repository like %s',
    (githubRepository) => {
      const stage = { ...bareStage(durableName), ...settings, githubRepository };

      expect(() => checkStages([stage])).not.toThrow();
    },
  );

  it.each<[fault: string, changed: Changes]>([
    ['githubRepository: Use ', { ...settings, githubRepository: 'a@1/b' }],
    ['account.id: Name the account', { ...settings, account: {} }],
    // A pipeline may do anything in its account.
    [`account.id: Use another account than ${otherName}`, settings],
  ])('are refused, with what to change: %s', (fault, changed) => {
    expect(() => checkChanged(changed)).toThrow(`${durableName} ${fault}`);
  });
});

describe(`PipelineStack of ${durableName}`, () => {
  const template = templateOf(fullStacks, 'PetStore-pipeline-111122223333');

  it('lets only jobs of its GitHub environment assume the role', () => {
    const [role = {}] = propertiesOf(template, 'AWS::IAM::Role');

    expect(role.AssumeRolePolicyDocument.Statement).toEqual([
      expect.objectContaining({
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: {
          StringEquals: {
            'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
            'token.actions.githubusercontent.com:sub': `repo:example/petstore:environment:${durableName}`,
          },
        },
      }),
    ]);
  });

  it('lets them deploy, and issue an API key of the stage', () => {
    const permissions = permissionsOf(template).map(
      ({ action, resource }) =>
        `${action} ${/((role|stack|table)\/|alarm:).*/.exec(resource)?.[0]}`,
    );

    const expected = [
      ...['deploy', 'file-publishing', 'lookup'].map(
        (role) => `sts:AssumeRole role/cdk-hnb659fds-${role}-role-<AWS::AccountId>-<AWS::Region>`,
      ),
      `cloudformation:DescribeStacks stack/${stackName(durableName)}/*`,
      'cloudwatch:DescribeAlarms alarm:*',
      `dynamodb:DescribeTable table/${stackName(durableName)}-*`,
      `dynamodb:PutItem table/${stackName(durableName)}-ApiKeys`,
    ];
    expect(permissions.sort()).toEqual(expected.sort());
  });

  it('leaves the provider to the other stacks of the account when it is deleted', () => {
    template.hasResource('AWS::IAM::OIDCProvider', { DeletionPolicy: 'Retain' });
  });
});
