import { expect, it } from 'vitest';
import { agreeOnPlan, changeId } from '../../../lib/dynamodb/idempotency.ts';
import { requestContext } from '../../helpers/api.ts';
import { newKey } from '../../helpers/samplePets.ts';

it('changeId leaves a record alone that replaced the one of its plan, even with the same id', async () => {
  const plan = { scopedKey: newKey(), fingerprint: 'any', resourceId: 1n, token: 'replacement' };
  await agreeOnPlan(plan, requestContext);

  await changeId({ ...plan, token: 'expired' }, 2n, requestContext);

  expect(await agreeOnPlan({ ...plan, token: 'later' }, requestContext)).toEqual(plan);
});
