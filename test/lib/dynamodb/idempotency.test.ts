import { expect, it, vi } from 'vitest';
import { handler as createPet } from '../../../functions/createPet.ts';
import { apiKeyDigest, apiKeyId } from '../../../lib/apiKeys/apiKey.ts';
import { config } from '../../../lib/config.ts';
import { changeRecordId, findOrStoreRecord } from '../../../lib/dynamodb/idempotency.ts';
import { apiKey, call } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import { storedItems, storedPets, storeItems } from '../../helpers/database.ts';
import { newKey, rex } from '../../helpers/samplePets.ts';

const requestContext = { log() {}, logFields: {}, abortSignal: new AbortController().signal };

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

it.each(['fingerprint', 'resourceId', 'token'])(
  'a record whose %s is damaged makes a retry respond 500 and is logged without the Idempotency-Key',
  async (attribute) => {
    const sent = { body: rex, idempotencyKey: `${newKey()}#secret` };
    await call(createPet, sent);
    const pets = await storedPets();
    const tableName = config().tableNames.idempotency;
    const records = await storedItems(tableName);
    const damage = (record: object) => ({ ...record, [attribute]: true });
    await storeItems(
      records.filter(({ scopedKey }) => `${scopedKey}`.endsWith('#secret')).map(damage),
      tableName,
    );
    const log = captureLog();

    const { status } = await call(createPet, sent);

    expect(status).toBe(500);
    const pk = `pets#${apiKeyId(apiKeyDigest(apiKey))}`;
    const cause = { message: `${pk} has no valid ${attribute}.` };
    expect(log.lines()).toMatchObject([
      { level: 'ERROR', code: 'item_damaged', table: 'idempotency', pk, cause },
      { code: 'request_failed', cause },
    ]);
    expect(log.text()).not.toContain('secret');
    expect(await storedPets()).toEqual(pets);
  },
);
