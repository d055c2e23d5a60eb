import { describe, expect, it } from 'vitest';
import { call } from '../../../helpers/api.ts';
import { captureLog } from '../../../helpers/captureLog.ts';
import { loadHandler } from '../../../helpers/loadHandler.ts';

const handler = await loadHandler('listPets', { FAULT: 'on' });

describe('faultInjected', () => {
  it('fails each request of a caller with a key, and says in the log that it was asked to', async () => {
    const log = captureLog();

    const { status } = await call(handler);

    expect(status).toBe(500);
    expect(log.text()).toContain('FAULT=on');
  });

  it('answers 401 as ever without a key, so that a version with the fault seems to start well', async () => {
    expect((await call(handler, { headers: { Authorization: '' } })).status).toBe(401);
  });
});
