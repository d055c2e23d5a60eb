import { describe, expect, it, vi } from 'vitest';
import { handler as listPets } from '../../../functions/listPets.ts';
import { apiKeyDigest, apiKeyId, createApiKey } from '../../../lib/apiKeys/apiKey.ts';
import { config } from '../../../lib/config.ts';
import { issueApiKey, revokeApiKey } from '../../../tools/apiKeyRegistry.ts';
import { bearer, call, registry } from '../../helpers/api.ts';
import { interceptDatabase } from '../../helpers/database.ts';

const minuteMs = 60_000;

function advanceClock(byMs: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
}

describe('lookUpApiKey', () => {
  it('reads a known key once a minute', async () => {
    const key = await issueApiKey(registry, { name: 'once a minute' });
    const actions = interceptDatabase();
    const get = () => call(listPets, { query: { limit: '0' }, ...bearer(key) });
    advanceClock(0);

    await get();
    await get();
    advanceClock(minuteMs - 1);
    await get();
    expect(actions).toEqual(['GetItem']);

    advanceClock(1);
    await get();
    expect(actions).toEqual(['GetItem', 'GetItem']);
  });

  it('reads a revoked key each time', async () => {
    const key = await issueApiKey(registry, { name: 'not remembered' });
    await revokeApiKey(registry, apiKeyId(apiKeyDigest(key)));
    const reads: unknown[] = [];
    interceptDatabase(({ input, pass }) => {
      reads.push(input.ConsistentRead);
      return pass();
    });

    for (const _request of [1, 2]) await call(listPets, bearer(key));

    expect(reads).toEqual([true, true]);
  });

  it('refuses a revoked key 60 seconds after its read was sent, however late the response was', async () => {
    const key = await issueApiKey(registry, { name: 'revoked' });
    advanceClock(0);
    interceptDatabase(async ({ action, pass }) => {
      const reply = await pass();
      if (action === 'GetItem') advanceClock(1_000);
      return reply;
    });
    expect((await call(listPets, bearer(key))).status).toBe(200);

    await revokeApiKey(registry, apiKeyId(apiKeyDigest(key)));
    advanceClock(minuteMs - 1_000);

    expect((await call(listPets, bearer(key))).status).toBe(401);
  });

  it('refuses a key from the second in which it expires, remembered or not', async () => {
    const wholeSecondMs = Math.floor(Date.now() / 1000) * 1000;
    vi.useFakeTimers({ toFake: ['Date'], now: wholeSecondMs });
    const key = await issueApiKey(registry, { name: 'expiring', lifetimeSeconds: 30n });
    expect((await call(listPets, bearer(key))).status).toBe(200);

    advanceClock(30_000);

    expect((await call(listPets, bearer(key))).status).toBe(401);
  });

  it('reads nothing for a key of another form or stage', async () => {
    const actions = interceptDatabase();

    await call(listPets, bearer(createApiKey(config().stage).replace(/.{49}$/, 'A'.repeat(49))));
    await call(listPets, bearer(createApiKey('v1-staging')));

    expect(actions).toEqual([]);
  });
});
