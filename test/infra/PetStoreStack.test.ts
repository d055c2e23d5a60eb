import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { createTableInput } from '../../infra/local/createTables.ts';
import { outputNames } from '../../infra/stages.ts';
import { apiKeysTable, idempotencyTable, petsTable } from '../../lib/dynamodb/tables.ts';
import { stagesWith } from '../helpers/stagesWith.ts';
import {
  functionNames,
  type Properties,
  propertiesOf,
  resourcesOf,
  shortId,
  synthesise,
  templateOf,
  templates,
  textOf,
} from '../helpers/templates.ts';

describe.each(templates)('PetStoreStack $stage.name', ({ stage, template }) => {
  it('names the API stage after the stage', () => {
    expect(propertiesOf(template, 'AWS::ApiGateway::Stage')).toMatchObject([
      { StageName: stage.name },
    ]);
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

  it('runs each function on Node.js 24 and arm64, with its own log', () => {
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
        Environment: {
          Variables: {
            STAGE: stage.name,
            SHARDS: String(stage.shards),
            WRITE_SHARDS: String(stage.writeShards),
            IDS_PER_LEASE: String(stage.idsPerLease),
            RELEASE: 'abc1234',
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

  it('updates the patch of Node.js only with a release', () => {
    const functions = propertiesOf(template, 'AWS::Lambda::Function');

    expect(functions.length).toBeGreaterThan(functionNames.length);
    for (const { RuntimeManagementConfig } of functions) {
      expect(RuntimeManagementConfig).toEqual({ UpdateRuntimeOn: 'FunctionUpdate' });
    }
  });

  it('keeps each log as long as the stage says', () => {
    const retentions = resourcesOf(template, 'AWS::Logs::LogGroup').map(([id, { Properties }]) => [
      shortId(id) === 'AccessLogs',
      Properties,
    ]);

    expect(retentions.length).toBeGreaterThan(functionNames.length);
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

  it('has alarms, a dashboard and a heartbeat only if it is durable or someone gets the alarms', () => {
    const isWatched = stage.isDurable;
    const counts = ['SNS::Topic', 'CloudWatch::Dashboard', 'Lambda::EventInvokeConfig'].map(
      (type) => propertiesOf(template, `AWS::${type}`).length,
    );

    expect(counts).toEqual(isWatched ? [1, 1, 1] : [0, 0, 0]);
    expect(propertiesOf(template, 'AWS::CloudWatch::Alarm').length > 0).toBe(isWatched);
  });

  it('contains no secret', () => {
    expect(JSON.stringify(template.toJSON())).not.toMatch(/ps_[\w-]+_|secret|password/i);
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

describe('PetStoreStack', () => {
  it('is watched without being durable if the settings name a recipient', () => {
    const stages = stagesWith({ alarmRecipient: { email: 'ops@example.com' } });
    const template = templateOf(synthesise(stages), 'PetStore-v1-staging');

    expect(propertiesOf(template, 'AWS::SNS::Subscription')).toMatchObject([
      { Protocol: 'email', Endpoint: 'ops@example.com', TopicArn: expect.anything() },
    ]);
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
    // No canary, so no alarm of a version.
    const names = propertiesOf(template, 'AWS::CloudWatch::Alarm').map(
      ({ AlarmName }) => AlarmName,
    );
    expect(names).toContain('PetStore-v1-staging-Service-Heartbeat');
    expect(JSON.stringify(names)).not.toContain('NewVersion');
  });
});
