import { describe, expect, it, vi } from 'vitest';
import { config } from '../../lib/config.ts';
import { failuresMetric } from '../../lib/metrics.ts';
import type { OperationName } from '../../lib/operations.ts';
import { call, loadHandler } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { connectionReset, interceptDatabase } from '../helpers/database.ts';
import { rex as body, newKey } from '../helpers/samplePets.ts';

function load(name: OperationName | 'fallback', level = 'INFO') {
  return loadHandler(name, { LOG_LEVEL: level, AWS_LAMBDA_FUNCTION_VERSION: '42' });
}

type EmbeddedMetrics = {
  _aws: {
    CloudWatchMetrics: {
      Namespace: string;
      Dimensions: string[][];
      Metrics: { Name: string; Unit: string }[];
    }[];
  };
  [member: string]: unknown;
};

/** The metrics that CloudWatch reads from the log, as `metric{dimension=value …} value`. */
function published(lines: Record<string, unknown>[]): string[] {
  return (lines as EmbeddedMetrics[]).flatMap(({ _aws, ...members }) =>
    _aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) => {
      expect(Namespace).toBe('PetStore');
      return Metrics.flatMap(({ Name, Unit }) =>
        Dimensions.map((names) => {
          expect(Unit).toBe('Count');
          expect([Name, names]).toEqual([failuresMetric.name, failuresMetric.dimensions]);
          expect(names.slice(0, 2).map((name) => members[name])).toEqual([
            'petstore',
            config().stage,
          ]);
          const dimensions = names.slice(2).map((name) => `${name}=${members[name]}`);
          return `${Name}{${dimensions.join(' ')}} ${members[Name]}`;
        }),
      );
    }),
  );
}

describe('the log line of a request', () => {
  it('has no metrics if it succeeds, and has the id of its pet, even for a retry', async () => {
    const createPet = await load('createPet');
    const log = captureLog();

    const sent = { body, idempotencyKey: newKey() };
    const { json } = await call(createPet, sent);
    await call(createPet, sent);

    const created = { status: 201, petId: String(json.id) };
    expect(log.lines()).toMatchObject([created, created]);
    expect(log.metrics()).toEqual([]);
  });

  it.each([
    ['internal_error', new TypeError('a bug')],
    ['service_unavailable', connectionReset()],
  ])('counts %s as a failure of the operation, at every log level', async (_code, fault) => {
    const listPets = await load('listPets', 'SILENT');
    const now = '2026-11-20T16:00:00Z';
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) });
    interceptDatabase(() => Promise.reject(fault));
    const log = captureLog();

    await call(listPets);

    expect(published(log.metrics())).toEqual(['Failures{operation=listPets} 1']);
    // CloudWatch drops a metric whose time, in milliseconds, is not about now.
    expect(log.metrics()).toMatchObject([{ _aws: { Timestamp: Date.parse(now) } }]);
  });

  it('has no metrics if the client is at fault', async () => {
    const fallback = await load('fallback');
    const log = captureLog();

    await call(fallback, { headers: { Authorization: '' }, event: { path: '/v1/none' } });

    expect(log.lines()).toHaveLength(1);
    expect(log.metrics()).toEqual([]);
  });

  it('has no metrics outside Lambda, and follows the log level', async () => {
    const silent = await loadHandler('listPets', { LOG_LEVEL: 'WARN' });
    const logging = await loadHandler('listPets', { LOG_LEVEL: 'INFO' });
    const log = captureLog();

    await call(silent, { headers: { Authorization: '' } });
    await call(logging, { headers: { Authorization: '' } });

    expect(log.lines()).toHaveLength(1);
    expect(log.metrics()).toEqual([]);
  });
});
