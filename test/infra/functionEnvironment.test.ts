import { describe, expect, it } from 'vitest';
import { functionEnvironment } from '../../infra/functionEnvironment.ts';

const settings = {
  stage: 'test',
  tableNames: { pets: 'pets', apiKeys: 'api-keys', idempotency: 'idempotency' },
  idsPerLease: 1,
};

describe('functionEnvironment', () => {
  it('lets pets be written to fewer shards than lists ask', () => {
    expect(functionEnvironment({ ...settings, shards: 4, writeShards: 1 })).toMatchObject({
      SHARDS: '4',
      WRITE_SHARDS: '1',
    });
  });

  it('writes to every shard unless told', () => {
    expect(functionEnvironment({ ...settings, shards: 4 }).WRITE_SHARDS).toBe('4');
  });

  it('refuses shards that are written to and that no list asks', () => {
    expect(() => functionEnvironment({ ...settings, shards: 1, writeShards: 4 })).toThrow(
      'Pets in 4 shards cannot be listed from 1.',
    );
  });
});
