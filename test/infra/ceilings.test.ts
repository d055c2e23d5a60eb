import { describe, expect, it } from 'vitest';
import { stages } from '../../infra/stages.ts';
import { production, propertiesOf, staging } from '../helpers/templates.ts';

describe('DefinedTable', () => {
  it.each([
    ['v1-production', production, 6000, 2000],
    ['v1-staging', staging, 600, 200],
  ] as const)('has a ceiling in %s, the same for a table and its index', (_, template, r, w) => {
    const ceiling = { MaxReadRequestUnits: r, MaxWriteRequestUnits: w };
    const tables = propertiesOf(template, 'AWS::DynamoDB::Table');

    expect(tables).toMatchObject([
      { OnDemandThroughput: ceiling, GlobalSecondaryIndexes: [{ OnDemandThroughput: ceiling }] },
      { OnDemandThroughput: ceiling },
      { OnDemandThroughput: ceiling },
    ]);
  });
});

describe('PetStoreApi', () => {
  it.each([
    ['v1-production', production, 500, 1000],
    ['v1-staging', staging, 50, 100],
  ] as const)('of %s lets through what its stage takes', (_, template, rate, burst) => {
    expect(propertiesOf(template, 'AWS::ApiGateway::Stage')).toMatchObject([
      {
        MethodSettings: [
          {
            HttpMethod: '*',
            ResourcePath: '/*',
            ThrottlingRateLimit: rate,
            ThrottlingBurstLimit: burst,
          },
        ],
      },
    ]);
  });

  it.each(stages)('of $name answers 429 before its tables have to answer 503', (stage) => {
    // To the pets table: the counter, and a pet of up to 2 KB.
    const writesOfARequest = 1 + 2;

    expect(stage.tableCeiling.writeUnits).toBeGreaterThanOrEqual(
      writesOfARequest * stage.throttle.requestsPerSecond,
    );
  });
});
