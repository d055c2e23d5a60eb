import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { throttleOf } from '../../infra/apiMethods.ts';
import { createTableInput } from '../../infra/local/createTables.ts';
import { outputNames, stackName, stages } from '../../infra/stages.ts';
import { apiKeysTable, idempotencyTable, petsTable } from '../../lib/dynamodb/tables.ts';
import {
  functionNames,
  type Properties,
  propertiesOf,
  resourcesOf,
  shortId,
  templates,
  textOf,
} from '../helpers/templates.ts';

describe.each(templates)('PetStoreStack $stage.name', ({ stage, template }) => {
  it('names the stack and the API stage after the stage', () => {
    expect(stackName(stage.name)).toBe(`PetStore-${stage.name}`);
    expect(propertiesOf(template, 'AWS::ApiGateway::Stage')).toMatchObject([
      { StageName: stage.name },
    ]);
    expect(stage.name).toMatch(/^[\w-]+$/);
  });

  it('has the same tables as the local database', () => {
    const deployed = propertiesOf(template, 'AWS::DynamoDB::Table').map(tableShape);
    const local = [petsTable, apiKeysTable, idempotencyTable].map((definition) =>
      createTableInput('', definition),
    );

    expect(deployed).toEqual(local.map((input) => tableShape({ ...input })));
  });

  it('lets DynamoDB delete expired idempotency records', () => {
    const [, , idempotency] = propertiesOf(template, 'AWS::DynamoDB::Table');

    expect(idempotency?.TimeToLiveSpecification).toEqual({
      AttributeName: 'expiresAtEpochSeconds',
      Enabled: true,
    });
  });

  it('runs each function on Node.js 24 and arm64, with tracing and its own log', () => {
    const functions = resourcesOf(template, 'AWS::Lambda::Function')
      .map(([id, { Properties }]) => [shortId(id), Properties] as const)
      .filter(([name]) => !name.startsWith('Releases'));

    expect(functions.map(([name]) => name)).toEqual(functionNames.map((name) => `${name}Function`));
    for (const [name, properties] of functions) {
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Timeout: 10,
        MemorySize: stage.memoryMb,
        TracingConfig: { Mode: 'Active' },
        Environment: {
          Variables: {
            STAGE: stage.name,
            SHARDS: String(stage.shards),
            WRITE_SHARDS: String(stage.writeShards),
            IDS_PER_LEASE: String(stage.idsPerLease),
            FAULT: 'off',
          },
        },
      });
      const { LogGroup } = properties.LoggingConfig as Properties;
      expect(textOf(LogGroup)).toBe(`<${name.replace('Function', 'Log')}>`);
    }
  });

  it('keeps each log as long as the stage says', () => {
    const retentions = resourcesOf(template, 'AWS::Logs::LogGroup').map(([id, { Properties }]) => [
      shortId(id) === 'AccessLog',
      Properties,
    ]);

    // The log of each function and of its release hook, and the access log.
    expect(retentions).toHaveLength(2 * functionNames.length + 1);
    expect(retentions.filter(([isAccessLog]) => isAccessLog)).toEqual([
      [true, { RetentionInDays: stage.accessLogRetentionDays }],
    ]);
    for (const [isAccessLog, properties] of retentions) {
      if (!isAccessLog) expect(properties).toEqual({ RetentionInDays: stage.logRetentionDays });
    }
  });

  it('outputs the base address and the tables', () => {
    template.hasOutput(outputNames.baseAddress, {
      Value: { 'Fn::Join': ['', Match.arrayWith(['/v1'])] },
    });
    expect(Object.keys(template.findOutputs('*'))).toEqual(Object.values(outputNames));
  });

  it('contains no secret', () => {
    expect(JSON.stringify(template.toJSON())).not.toMatch(/ps_[\w-]+_|secret|password/i);
  });
});

describe('stages', () => {
  it.each(stages)('$name sends 429 before its tables cause a 503', (stage) => {
    // To the pets table: the counter, and a pet of up to 2 KB.
    const writesPerRequest = 1 + 2;

    expect(stage.tableCeiling.writeUnits).toBeGreaterThanOrEqual(
      writesPerRequest * throttleOf('createPet', stage).requestsPerSecond,
    );
  });
});

function tableShape({
  AttributeDefinitions,
  KeySchema,
  GlobalSecondaryIndexes = [],
  BillingMode,
}: Properties): Properties {
  // Only AWS has throughput ceilings.
  const indexes = (GlobalSecondaryIndexes as Properties[]).map(
    ({ OnDemandThroughput, ...index }) => index,
  );
  return { AttributeDefinitions, KeySchema, indexes, BillingMode };
}
