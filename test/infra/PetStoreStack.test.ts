import { readFileSync } from 'node:fs';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { throttleOf } from '../../infra/apiMethods.ts';
import { createTableInput } from '../../infra/local/createTables.ts';
import { outputNames, stackName, stages } from '../../infra/stages.ts';
import { apiKeysTable, idempotencyTable, petsTable } from '../../lib/dynamodb/tables.ts';
import {
  defaultApp,
  functionNames,
  type Properties,
  propertiesOf,
  resourcesOf,
  shortId,
  stackOf,
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
      .filter(([name]) => !/^(Releases|Heartbeat)/.test(name));

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
          },
        },
      });
      const { LogGroup } = properties.LoggingConfig as Properties;
      expect(textOf(LogGroup)).toBe(`<${name.replace('Function', 'Log')}>`);
    }
  });

  it('logs every line of the functions, and of Lambda only failures', () => {
    for (const { LoggingConfig } of propertiesOf(template, 'AWS::Lambda::Function')) {
      expect(LoggingConfig).toMatchObject({
        LogFormat: 'JSON',
        // A higher level would drop the lines of requests, and with them the metrics.
        ApplicationLogLevel: 'INFO',
        // START and REPORT of a request that succeeds are INFO.
        SystemLogLevel: 'WARN',
      });
    }
  });

  it('names version, commit and bundle in the settings and the description of each function', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const functions = propertiesOf(template, 'AWS::Lambda::Function');

    for (const { Environment, Description, Tags } of functions) {
      const { RELEASE } = (Environment as { Variables: Properties }).Variables;
      // These templates are synthesised without bundles.
      const [, ofRelease, commit] = /^(.+)\+(.+)\.unbundled$/.exec(String(RELEASE)) ?? [];
      expect(ofRelease).toBe(version);
      expect(commit).toMatch(/^([\da-f]{12}(-modified)?|unknown)$/);
      expect(String(Description).replace(String(RELEASE), '<release>')).toMatch(
        /^\w+ <release>, runtime of \d{4}-\d{2}$/,
      );
      expect(Tags).toEqual([{ Key: 'Commit', Value: commit }]);
    }
  });

  it('tags every resource with the project and the stage, through the stack', () => {
    expect(stackOf(defaultApp, stackName(stage.name)).tags.tagValues()).toEqual({
      Project: 'PetStore',
      Stage: stage.name,
    });
  });

  it('updates the patch of Node.js only with a release', () => {
    const functions = propertiesOf(template, 'AWS::Lambda::Function');

    // With the release hook of each function, and the heartbeat.
    expect(functions).toHaveLength(2 * functionNames.length + 1);
    for (const { RuntimeManagementConfig } of functions) {
      expect(RuntimeManagementConfig).toEqual({ UpdateRuntimeOn: 'FunctionUpdate' });
    }
  });

  it('traces a share of the requests, as the stage says', () => {
    const [api] = propertiesOf(template, 'AWS::ApiGateway::RestApi');
    const [apiStage] = propertiesOf(template, 'AWS::ApiGateway::Stage');
    const [rule] = propertiesOf(template, 'AWS::XRay::SamplingRule');

    expect(rule?.SamplingRule).toMatchObject({
      FixedRate: stage.tracedShare,
      ReservoirSize: 0,
      ServiceName: `${api?.Name}/${apiStage?.StageName}`,
      ServiceType: 'AWS::ApiGateway::Stage',
    });
  });

  it('keeps each log as long as the stage says', () => {
    const retentions = resourcesOf(template, 'AWS::Logs::LogGroup').map(([id, { Properties }]) => [
      shortId(id) === 'AccessLogs',
      Properties,
    ]);

    // The log of each function and of its release hook, the access log, and the heartbeat's.
    expect(retentions).toHaveLength(2 * functionNames.length + 2);
    expect(retentions.filter(([isAccessLog]) => isAccessLog)).toEqual([
      [
        true,
        {
          // The cheaper class extracts no metrics, so only the access log may have it.
          LogGroupClass: 'INFREQUENT_ACCESS',
          RetentionInDays: stage.accessLogRetentionDays,
        },
      ],
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
