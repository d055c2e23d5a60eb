import { expect, it } from 'vitest';
import { changeRecordId, findOrStoreRecord } from '../../../lib/dynamodb/idempotency.ts';
import { requestContext } from '../../helpers/api.ts';
import { newKey } from '../../helpers/samplePets.ts';

it('changeRecordId leaves a record alone that replaced its own, even with the same id', async () => {
  const record = { scopedKey: newKey(), fingerprint: 'any', resourceId: 1n, token: 'replacement' };
  await findOrStoreRecord(record, requestContext);

  await changeRecordId({ ...record, token: 'expired' }, 2n, requestContext);

  expect(await findOrStoreRecord({ ...record, token: 'later' }, requestContext)).toEqual(record);
});
