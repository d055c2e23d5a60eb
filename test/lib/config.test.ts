import { describe, expect, it, vi } from 'vitest';

const load = async () => {
  vi.resetModules();
  const { config } = await import('../../lib/config.ts');
  return config();
};

describe('config', () => {
  it('reads the environment that infra gives a function', async () => {
    vi.stubEnv('IDS_PER_LEASE', '9876');
    vi.stubEnv('CORS_ORIGINS', 'https://app.example.com http://localhost:3000');
    vi.stubEnv('AWS_LAMBDA_FUNCTION_VERSION', '42');
    vi.stubEnv('RELEASE', '8bab64c');

    expect(await load()).toEqual({
      stage: 'test',
      release: '8bab64c',
      tableNames: {
        pets: process.env.PETS_TABLE,
        apiKeys: process.env.API_KEYS_TABLE,
        idempotency: process.env.IDEMPOTENCY_TABLE,
      },
      idsPerLease: 9876n,
      logLevel: 'ERROR',
      corsOrigins: ['https://app.example.com', 'http://localhost:3000'],
      functionVersion: '42',
    });
  });

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
