import { describe, expect, it } from 'vitest';
import { apiKeyDigest, apiKeyId } from '../../../../lib/apiKeys/apiKey.ts';
import { metricDimensions } from '../../../../lib/metricDimensions.ts';
import type { OperationName } from '../../../../lib/operations.ts';
import { apiKey, call, loadHandler } from '../../../helpers/api.ts';
import { captureLog } from '../../../helpers/captureLog.ts';
import { connectionReset, interceptDatabase } from '../../../helpers/database.ts';

const body = { name: 'Rex', categoryId: 1 };

function load(name: OperationName | 'fallback') {
  return loadHandler(name, {
    LOG_LEVEL: 'SILENT',
    POWERTOOLS_METRICS_DISABLED: 'false',
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

describe('countRequest', () => {
  it('counts a request, and the pet that it created', async () => {
    const createPet = await load('createPet');
    const log = captureLog();

    await call(createPet, { body });

    expect(published(log.metrics())).toEqual([
      'PetsCreated{operation=createPet} 1',
      'Requests{operation=createPet} 1',
    ]);
  });

  it('counts the pet of a retried request once', async () => {
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

  it('counts an error by its code', async () => {
    const fallback = await load('fallback');
    const log = captureLog();

    await call(fallback, { headers: { Authorization: '' } });

    expect(published(log.metrics())).toEqual([
      'Requests{operation=fallback} 1',
      'Errors{operation=fallback code=unauthorized} 1',
    ]);
  });

  it.each([
    ['internal_error', new TypeError('a bug')],
    ['service_unavailable', connectionReset()],
  ])('counts %s as a fault of the version that responded', async (code, fault) => {
    const listPets = await load('listPets');
    const { dynamoDb } = await import('../../../../lib/dynamodb/client.ts');
    interceptDatabase(() => Promise.reject(fault), dynamoDb);
    const log = captureLog();

    await call(listPets);

    expect(published(log.metrics())).toEqual([
      'Requests{operation=listPets} 1',
      `Errors{operation=listPets code=${code}} 1`,
      'ServerErrors{operation=listPets version=42} 1',
    ]);
  });

  it('counts the callers of a deprecated operation by the id of the API key', async () => {
    const getPet = await load('getPet');
    const log = captureLog();

    await call(getPet, { petId: 'none' });

    expect(published(log.metrics())).toEqual([
      'Requests{operation=getPet} 1',
      'Errors{operation=getPet code=not_found} 1',
      `DeprecatedRequests{operation=getPet apiKeyId=${apiKeyId(apiKeyDigest(apiKey))}} 1`,
    ]);
    expect(log.text()).not.toContain(apiKey);
  });

  it('counts no caller without a key', async () => {
    const getPet = await load('getPet');
    const log = captureLog();

    await call(getPet, { petId: '1', headers: { Authorization: '' } });

    expect(log.text()).not.toContain('DeprecatedRequests');
  });
});
