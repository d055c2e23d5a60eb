import { describe, expect, it, vi } from 'vitest';

const load = async () => {
  vi.resetModules();
  return (await import('../../lib/config.ts')).config;
};

describe('config', () => {
  it('reads the environment that infra gives a function', async () => {
    expect(await load()).toMatchObject({ stage: 'test', shards: 1, logLevel: 'ERROR' });
  });

  it.each([
    ['STAGE', ''],
    ['PETS_TABLE', ''],
    ['API_KEYS_TABLE', ''],
    ['SHARDS', '0'],
    ['SHARDS', 'many'],
    ['WRITTEN_SHARDS', '0'],
    ['IDS_PER_LEASE', '0'],
    ['LOG_LEVEL', 'LOUD'],
    ['FAULT', 'yes'],
  ])('fails the start of a function whose %s is %j, and names it', async (name, value) => {
    vi.stubEnv(name, value);

    await expect(load()).rejects.toThrow(`${name}: `);
  });

  it('fails the start where a setting is missing', async () => {
    vi.stubEnv('PETS_TABLE', undefined);

    await expect(load()).rejects.toThrow('PETS_TABLE');
  });
});
