import { describe, expect, it } from 'vitest';
import { metricDimensions } from '../../lib/metricDimensions.ts';
import type { OperationName } from '../../lib/operations.ts';
import { call, loadHandler } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { connectionReset, interceptDatabase } from '../helpers/database.ts';

const body = { name: 'Rex', categoryId: 1 };

function load(name: OperationName | 'fallback', level = 'INFO') {
  return loadHandler(name, {
    LOG_LEVEL: level,
    METRICS: 'on',
    AWS_LAMBDA_FUNCTION_VERSION: '42',
  });
}

type EmbeddedMetrics = {
  _aws: {
    CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }[];
  };
  [member: string]: unknown;
};

/** The metrics that CloudWatch reads from the log, as `metric{dimension=value …} value`. */
function published(lines: Record<string, unknown>[]): string[] {
  return (lines as EmbeddedMetrics[]).flatMap(({ _aws, ...members }) =>
    _aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) => {
      expect(Namespace).toBe('PetStore');
      return Metrics.flatMap(({ Name }) =>
        Dimensions.map((names) => {
          expect(names).toEqual(metricDimensions[Name as keyof typeof metricDimensions]);
          expect(names.slice(0, 2).map((name) => members[name])).toEqual(['petstore', 'test']);
          const dimensions = names.slice(2).map((name) => `${name}=${members[name]}`);
          return `${Name}{${dimensions.join(' ')}} ${members[Name]}`;
        }),
      );
    }),
  );
}

describe('the metrics in the line of a request', () => {
  it('count the request, and the pet that it created', async () => {
    const createPet = await load('createPet');
    const log = captureLog();

    await call(createPet, { body });

    expect(published(log.metrics())).toEqual([
      'PetsCreated{operation=createPet} 1',
      'Requests{operation=createPet} 1',
    ]);
  });

  it('count the pet of a retried request once', async () => {
    const createPet = await load('createPet');
    const log = captureLog();

    for (const _attempt of [1, 2]) {
      await call(createPet, { body, headers: { 'Idempotency-Key': 'counted-once' } });
    }

    expect(published(log.metrics())).toEqual([
      'PetsCreated{operation=createPet} 1',
      'Requests{operation=createPet} 1',
      'Requests{operation=createPet} 1',
    ]);
  });

  it('count an error by its code', async () => {
    const fallback = await load('fallback');
    const log = captureLog();

    await call(fallback, { headers: { Authorization: '' } });

    expect(published(log.metrics())).toEqual([
      'Requests{operation=fallback} 1',
      'Errors{operation=fallback errorCode=unauthorized} 1',
    ]);
  });

  it.each([
    ['internal_error', new TypeError('a bug')],
    ['service_unavailable', connectionReset()],
  ])('count %s as a fault of the version that responded', async (code, fault) => {
    const listPets = await load('listPets');
    const { dynamoDb } = await import('../../lib/dynamodb/client.ts');
    interceptDatabase(() => Promise.reject(fault), dynamoDb);
    const log = captureLog();

    await call(listPets);

    expect(published(log.metrics())).toEqual([
      'Requests{operation=listPets} 1',
      `Errors{operation=listPets errorCode=${code}} 1`,
      'ServerErrors{operation=listPets functionVersion=42} 1',
    ]);
  });

  it('have no dimension that grows with the number of clients', async () => {
    const getPet = await load('getPet');
    const log = captureLog();

    await call(getPet, { petId: 'none' });

    expect(published(log.metrics())).toEqual([
      'Requests{operation=getPet} 1',
      'Errors{operation=getPet errorCode=not_found} 1',
    ]);
    expect(log.metrics()).toMatchObject([{ apiKeyId: expect.stringMatching(/^key_/) }]);
  });

  it.each(['INFO', 'WARN', 'ERROR', 'SILENT'])(
    'are published, in one line with the log, at the log level %s',
    async (level) => {
      const listPets = await load('listPets', level);
      const log = captureLog();

      await call(listPets);
      await call(listPets, { headers: { Authorization: '' } });

      expect(log.lines()).toMatchObject([
        { code: 'request_handled', status: 200, Requests: 1, _aws: expect.anything() },
        { code: 'request_handled', status: 401, Requests: 1, Errors: 1, _aws: expect.anything() },
      ]);
    },
  );

  it('are left out if they are disabled, and the log level decides about the line', async () => {
    const silent = await loadHandler('listPets', { LOG_LEVEL: 'WARN' });
    const logging = await loadHandler('listPets', { LOG_LEVEL: 'INFO' });
    const log = captureLog();

    await call(silent);
    await call(logging);

    expect(log.lines()).toHaveLength(1);
    expect(log.metrics()).toEqual([]);
    expect(log.lines()[0]).not.toHaveProperty('Requests');
  });
});
