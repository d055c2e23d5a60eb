import { describe, expect, it, vi } from 'vitest';

const load = async () => {
  vi.resetModules();
  const { config } = await import('../../lib/config.ts');
  return config();
};

describe('config', () => {
  it('has by default the log level INFO', async () => {
    vi.stubEnv('LOG_LEVEL', undefined);

    expect(await load()).toMatchObject({ logLevel: 'INFO' });
  });

  it.each([
    ['STAGE', ''],
    ['IDS_PER_LEASE', '0'],
    ['IDS_PER_LEASE', '10000'],
    ['IDS_PER_LEASE', 'x1'],
    ['IDS_PER_LEASE', '1x'],
    ['LOG_LEVEL', 'LOUD'],
    ['CORS_ORIGINS', ''],
  ])('throws if %s is %j, and names it', async (name, value) => {
    vi.stubEnv(name, value);

    await expect(load()).rejects.toThrow(`${name}: `);
  });
});
