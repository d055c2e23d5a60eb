import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { createTableInput } from '../../infra/local/createTables.ts';
import { outputNames, stackName } from '../../infra/stages.ts';
import { apiKeysTable, idempotencyTable, petsTable } from '../../lib/dynamodb/tables.ts';
import {
  type Properties,
  propertiesOf,
  resourcesOf,
  shortId,
  templates,
  textOf,
} from '../helpers/templates.ts';

describe.each(templates)('PetStoreStack $stage.name', ({ stage, template }) => {
  it('is one stack with the stage of its name', () => {
    expect(stackName(stage.name)).toBe(`PetStore-${stage.name}`);
    expect(propertiesOf(template, 'AWS::ApiGateway::Stage')).toMatchObject([
      { StageName: stage.name },
    ]);
    expect(stage.name).toMatch(/^[\w-]+$/);
  });

  it('has the tables of the local database', () => {
    const deployed = propertiesOf(template, 'AWS::DynamoDB::Table').map(tableShape);
    const local = [petsTable, apiKeysTable, idempotencyTable].map((definition) =>
      createTableInput('', definition),
    );

    expect(deployed).toEqual(local.map((input) => tableShape({ ...input })));
  });

  it('lets DynamoDB drop the idempotency records that have expired', () => {
    const [, , idempotency] = propertiesOf(template, 'AWS::DynamoDB::Table');

    expect(idempotency?.TimeToLiveSpecification).toEqual({
      AttributeName: 'expiresAtEpochSeconds',
      Enabled: true,
    });
  });

  it('runs each function on Node.js 24 and arm64, traced and with a log of its own', () => {
    const functions = functionsOf(template).filter(([name]) => !name.startsWith('Releases'));

    expect(functions.map(([name]) => name)).toEqual([
      'listPetsFunction',
      'createPetFunction',
      'getPetFunction',
      'fallbackFunction',
    ]);
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
    const logs = propertiesOf(template, 'AWS::Logs::LogGroup');

    expect(logs).toEqual(Array(9).fill({ RetentionInDays: stage.logRetentionDays }));
  });

  it('allows each role exactly what it does', () => {
    const onlyKeys = (...keys: string[]) => ({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    });
    const writeLogOf = (name: string) => [
      'logs:CreateLogStream logs:PutLogEvents',
      `<${name}Log.Arn>`,
    ];
    const readApiKey = ['dynamodb:GetItem', '<ApiKeys.Arn>'];
    const trace = ['xray:PutTelemetryRecords xray:PutTraceSegments', '*'];
    const hookOf = (name: string) => [
      writeLogOf(`Releases${name}Hook`),
      ['lambda:InvokeFunction', `<${name}Function.Arn>:*`],
      [
        'codedeploy:PutLifecycleEventHookExecutionStatus',
        `arn:<AWS::Partition>:codedeploy:<AWS::Region>:<AWS::AccountId>:deploymentgroup:<ReleasesApplication>/<Releases${name}>`,
      ],
    ];
    const functions = ['createPet', 'fallback', 'getPet', 'listPets'];

    expect(policiesOf(template)).toEqual({
      listPetsRole: [
        writeLogOf('listPets'),
        readApiKey,
        ['dynamodb:Query', '<Pets.Arn>/index/byStatus'],
        trace,
      ],
      createPetRole: [
        writeLogOf('createPet'),
        ['dynamodb:GetItem', '<ApiKeys.Arn> <Idempotency.Arn>'],
        ['dynamodb:UpdateItem', '<Pets.Arn>', onlyKeys('COUNTER')],
        ['dynamodb:GetItem dynamodb:PutItem', '<Pets.Arn>', onlyKeys('PET#*')],
        ['dynamodb:PutItem dynamodb:UpdateItem', '<Idempotency.Arn>'],
        trace,
      ],
      getPetRole: [
        writeLogOf('getPet'),
        readApiKey,
        ['dynamodb:GetItem', '<Pets.Arn>', onlyKeys('PET#*')],
        trace,
      ],
      fallbackRole: [writeLogOf('fallback'), readApiKey, trace],
      ReleaseslistPetsHookRole: hookOf('listPets'),
      ReleasescreatePetHookRole: hookOf('createPet'),
      ReleasesgetPetHookRole: hookOf('getPet'),
      ReleasesfallbackHookRole: hookOf('fallback'),
      ReleasesRole: [
        ['cloudwatch:DescribeAlarms', '*'],
        [
          'lambda:GetAlias lambda:GetProvisionedConcurrencyConfig lambda:UpdateAlias',
          [
            ...functions.map((name) => `<${name}Function.Arn>`),
            ...functions.map((name) => `<${name}Function.Arn>:live`),
          ].join(' '),
        ],
        [
          'lambda:InvokeFunction',
          functions.map((name) => `<Releases${name}HookFunction.Arn>`).join(' '),
        ],
      ],
    });
    for (const [id, { Properties: role }] of resourcesOf(template, 'AWS::IAM::Role')) {
      // AWS Backup's own; see its acknowledgement.
      if (id.startsWith('Backups')) continue;
      expect(role).not.toHaveProperty('ManagedPolicyArns');
      expect(role).not.toHaveProperty('Policies');
    }
  });

  it('names the base address and the tables in its outputs', () => {
    template.hasOutput(outputNames.baseAddress, {
      Value: { 'Fn::Join': ['', Match.arrayWith(['/v1'])] },
    });
    expect(Object.keys(template.findOutputs('*'))).toEqual(Object.values(outputNames));
  });

  it('keeps no secret in a template', () => {
    expect(JSON.stringify(template.toJSON())).not.toMatch(/ps_[\w-]+_|secret|password/i);
  });
});

function tableShape({
  AttributeDefinitions,
  KeySchema,
  GlobalSecondaryIndexes = [],
  BillingMode,
}: Properties): Properties {
  // A ceiling is AWS's: no other engine knows it.
  const indexes = (GlobalSecondaryIndexes as Properties[]).map(
    ({ OnDemandThroughput, ...index }) => index,
  );
  return { AttributeDefinitions, KeySchema, indexes, BillingMode };
}

function functionsOf(template: Template): [string, Properties][] {
  return resourcesOf(template, 'AWS::Lambda::Function').map(([id, { Properties }]) => [
    shortId(id),
    Properties,
  ]);
}

/** `[actions, resources, condition]` of each statement, by role. */
function policiesOf(template: Template): Record<string, unknown[]> {
  const policies = propertiesOf(template, 'AWS::IAM::Policy').map(({ Roles, PolicyDocument }) => {
    const { Statement } = PolicyDocument as { Statement: Properties[] };
    const statements = Statement.map(({ Effect, Action, Resource, Condition }) => {
      expect(Effect).toBe('Allow');
      const resources = [Resource].flat().map(textOf).join(' ');
      return [[Action].flat().join(' '), resources, ...(Condition ? [Condition] : [])];
    });
    return [textOf((Roles as unknown[])[0]).slice(1, -1), statements];
  });
  return Object.fromEntries(policies);
}
