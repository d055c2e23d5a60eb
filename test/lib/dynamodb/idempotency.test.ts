import { expect, it, vi } from 'vitest';
import { changeRecordId, findOrStoreRecord } from '../../../lib/dynamodb/idempotency.ts';
import { requestContext } from '../../helpers/api.ts';
import { newKey } from '../../helpers/samplePets.ts';

it('changeRecordId leaves a record alone that replaced its own, even with the same id', async () => {
  const record = { scopedKey: newKey(), fingerprint: 'any', resourceId: 1n, token: 'replacement' };
  await findOrStoreRecord(record, requestContext);

  await changeRecordId({ ...record, token: 'expired' }, 2n, requestContext);

  expect(await findOrStoreRecord({ ...record, token: 'later' }, requestContext)).toEqual(record);
});

it('changeRecordId lets the 24 hours begin again, because no response named the old id', async () => {
  const record = { scopedKey: newKey(), fingerprint: 'any', resourceId: 1n, token: 'first' };
  const hourMs = 60 * 60_000;
  vi.useFakeTimers({ toFake: ['Date'] });
  await findOrStoreRecord(record, requestContext);
  vi.setSystemTime(Date.now() + 12 * hourMs);

  await changeRecordId(record, 2n, requestContext);

  vi.setSystemTime(Date.now() + 24 * hourMs);
  const found = await findOrStoreRecord({ ...record, token: 'later' }, requestContext);
  expect(found).toEqual({ ...record, resourceId: 2n });
});
