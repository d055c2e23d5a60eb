import { describe, expect, it } from 'vitest';
import { functionEnvironment } from '../../infra/functionEnvironment.ts';

const settings = {
  stage: 'test',
  tableNames: { pets: 'pets', apiKeys: 'api-keys', idempotency: 'idempotency' },
  idsPerLease: 1,
};

describe('functionEnvironment', () => {
  it('writes pets to fewer shards than lists read, given writeShards', () => {
    expect(functionEnvironment({ ...settings, shards: 4, writeShards: 1 })).toMatchObject({
      SHARDS: '4',
      WRITE_SHARDS: '1',
    });
  });

  it('writes pets to every shard by default', () => {
    expect(functionEnvironment({ ...settings, shards: 4 }).WRITE_SHARDS).toBe('4');
  });

  it('throws if pets would be written to shards that no list reads', () => {
    expect(() => functionEnvironment({ ...settings, shards: 1, writeShards: 4 })).toThrow(
      'writeShards is 4 but shards is 1: lists would miss pets.',
    );
  });
});
