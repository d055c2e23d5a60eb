import { setTimeout } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { waitUntilRestorable } from '../../infra/tools/restore/restoreTable.ts';

vi.mock('node:timers/promises', () => ({ setTimeout: vi.fn(async () => {}) }));

beforeEach(() => {
  vi.mocked(setTimeout).mockClear();
});

describe('waitUntilRestorable', () => {
  const moment = new Date('2026-11-20T16:00:00Z');
  const enabledUpTo = (time: string) => ({
    PointInTimeRecoveryStatus: 'ENABLED',
    LatestRestorableDateTime: new Date(`2026-11-20T${time}Z`),
  });
  /** Waits for a table that reports these states of its recovery in turn. */
  const waitFor = (...recoveries: object[]) => {
    const send = async () => ({
      ContinuousBackupsDescription: { PointInTimeRecoveryDescription: recoveries.shift() },
    });
    const client = { send } as unknown as DynamoDBClient;
    return waitUntilRestorable({ client, tableName: 'pets', readUnitsPerSecond: 1 }, moment);
  };

  it('waits until the moment can be restored', async () => {
    await waitFor(enabledUpTo('15:59:40'), enabledUpTo('15:59:59'), enabledUpTo('16:00:00'));

    expect(vi.mocked(setTimeout).mock.calls).toEqual([[20_000], [20_000]]);
  });

  it('throws if the table has no point-in-time recovery', async () => {
    const waiting = waitFor({ PointInTimeRecoveryStatus: 'DISABLED' });

    await expect(waiting).rejects.toThrow('no point-in-time recovery');
  });

  it('gives up after half an hour', async () => {
    const waiting = waitFor(...Array.from({ length: 100 }, () => enabledUpTo('15:00:00')));

    await expect(waiting).rejects.toThrow('cannot be restored to');
    expect(setTimeout).toHaveBeenCalledTimes(91);
  });
});
