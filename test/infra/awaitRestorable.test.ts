import { setTimeout } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { awaitRestorable } from '../../infra/tools/restore/awaitRestorable.ts';

vi.mock('node:timers/promises', () => ({ setTimeout: vi.fn(async () => {}) }));

beforeEach(() => {
  vi.mocked(setTimeout).mockClear();
});

describe('awaitRestorable', () => {
  const moment = new Date('2026-11-20T16:00:00Z');
  const answers = (...recoveries: object[]) => {
    const send = vi.fn(async () => ({
      ContinuousBackupsDescription: { PointInTimeRecoveryDescription: recoveries.shift() },
    }));
    return { tableName: 'pets', client: { send } as unknown as DynamoDBClient };
  };
  const upTo = (time: string) => ({
    PointInTimeRecoveryStatus: 'ENABLED',
    LatestRestorableDateTime: new Date(`2026-11-20T${time}Z`),
  });

  it('waits until the moment can be restored', async () => {
    const table = answers(upTo('15:59:40'), upTo('15:59:59'), upTo('16:00:00'));

    await awaitRestorable(table, moment);

    expect(table.client.send).toHaveBeenCalledTimes(3);
    expect(setTimeout).toHaveBeenCalledTimes(2);
  });

  it('throws where the table has no point-in-time recovery', async () => {
    const table = answers({ PointInTimeRecoveryStatus: 'DISABLED' });

    await expect(awaitRestorable(table, moment)).rejects.toThrow('no point-in-time recovery');
  });

  it('gives up after half an hour', async () => {
    const table = answers(...Array.from({ length: 100 }, () => upTo('15:00:00')));

    await expect(awaitRestorable(table, moment)).rejects.toThrow('cannot be restored to');
  });
});
