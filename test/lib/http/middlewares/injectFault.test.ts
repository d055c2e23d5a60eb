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

  it('lets a version with the fault pass its release check', async () => {
    const headers = { Authorization: '' };

    expect((await call(handler, { headers })).status).toBe(401);
    expect((await call(handler, { headers, event: { isReleaseCheck: true } })).status).toBe(200);
  });
});
