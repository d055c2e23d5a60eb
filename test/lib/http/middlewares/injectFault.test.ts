import { describe, expect, it } from 'vitest';
import { call, loadHandler } from '../../../helpers/api.ts';
import { captureLog } from '../../../helpers/captureLog.ts';

const handler = await loadHandler('listPets', { FAULT: 'on' });

describe('injectFault', () => {
  it('fails each request with a valid key, and logs that FAULT asked for it', async () => {
    const log = captureLog();

    const { status } = await call(handler);

    expect(status).toBe(500);
    expect(log.text()).toContain('FAULT=on');
  });

  it('still responds 401 without a key, so that a version with the fault passes its release check', async () => {
    expect((await call(handler, { headers: { Authorization: '' } })).status).toBe(401);
  });
});
