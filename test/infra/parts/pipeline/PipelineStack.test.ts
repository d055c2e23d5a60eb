import { describe, expect, it } from 'vitest';
import { checkStages } from '../../../../infra/stageSchema.ts';
import {
  bareStage,
  type Changes,
  checkChanged,
  durableName,
  otherName,
} from '../../../helpers/bareStage.ts';

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
