import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { createTableInput } from '../../infra/local/createTables.ts';
import { PetStoreStack } from '../../infra/PetStoreStack.ts';
import { outputNames, stackName, stages } from '../../infra/stages.ts';
import { errorStatuses } from '../../lib/ApiError.ts';
import { operationEntries } from '../../lib/operations.ts';
import { ErrorBody } from '../../lib/schemas.ts';
import { apiKeysTable, idempotencyTable, petsTable } from '../../lib/tables.ts';

type Properties = Record<string, unknown>;

const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
// Bundling is for `cdk synth`; here the templates alone are looked at.
const app = new App({ context: { ...context, 'aws:cdk:bundling-stacks': [] } });
const stacks = stages.map((stage) => new PetStoreStack(app, stackName(stage.name), { stage }));
const templates = stages.map((stage, index) => ({
  stage,
  template: Template.fromStack(stacks[index] as PetStoreStack),
}));

const [production, staging] = templates.map(({ template }) => template) as [Template, Template];

function propertiesOf(template: Template, type: string): Properties[] {
  return Object.values(template.findResources(type)).map(({ Properties }) => Properties);
}

function resourcesOf(template: Template, type: string) {
  return Object.entries(template.findResources(type));
}

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

  it('runs each function on Node.js 24 and arm64, with a log of its own', () => {
    const functions = propertiesOf(template, 'AWS::Lambda::Function');

    expect(functions).toHaveLength(4);
    for (const properties of functions) {
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Timeout: 10,
        MemorySize: stage.memoryMb,
        Environment: {
          Variables: {
            STAGE: stage.name,
            SHARDS: String(stage.shards),
            WRITTEN_SHARDS: String(stage.writtenShards),
            IDS_PER_LEASE: String(stage.idsPerLease),
          },
        },
      });
    }
    const logs = functions.map(({ LoggingConfig }) => JSON.stringify(LoggingConfig));
    expect(new Set(logs).size).toBe(4);
    expect(propertiesOf(template, 'AWS::Logs::LogGroup')).toEqual(
      Array(4).fill({ RetentionInDays: stage.logRetentionDays }),
    );
  });

  it('allows each function exactly what it does', () => {
    const onlyKeys = (...keys: string[]) => ({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    });
    const writeLog = [['logs:CreateLogStream', 'logs:PutLogEvents'], 'log'];
    const readApiKey = [['dynamodb:GetItem'], 'ApiKeys'];

    expect(policiesOf(template)).toEqual({
      listPets: [writeLog, readApiKey, [['dynamodb:Query'], 'Pets/index/byStatus']],
      createPet: [
        writeLog,
        [['dynamodb:GetItem'], 'ApiKeys Idempotency'],
        [['dynamodb:UpdateItem'], 'Pets', onlyKeys('COUNTER')],
        [['dynamodb:GetItem', 'dynamodb:PutItem'], 'Pets', onlyKeys('PET#*')],
        [['dynamodb:PutItem', 'dynamodb:UpdateItem'], 'Idempotency'],
      ],
      getPet: [writeLog, readApiKey, [['dynamodb:GetItem'], 'Pets', onlyKeys('PET#*')]],
      fallback: [writeLog, readApiKey],
    });
    for (const role of propertiesOf(template, 'AWS::IAM::Role')) {
      expect(role).not.toHaveProperty('ManagedPolicyArns');
    }
  });

  it('routes each operation to its function, and all else to the fallback', () => {
    const routes = routesOf(template);

    for (const [name, { method, path }] of operationEntries) {
      expect(routes[`${method} /v1${path}`]).toBe(name);
    }
    expect(routes).toEqual({
      'GET /v1/pets': 'listPets',
      'POST /v1/pets': 'createPet',
      'GET /v1/pets/{petId}': 'getPet',
      'ANY /': 'fallback',
      'ANY /{proxy+}': 'fallback',
      'ANY /v1': 'fallback',
      'ANY /v1/{proxy+}': 'fallback',
      'ANY /v1/pets': 'fallback',
      'ANY /v1/pets/{petId}': 'fallback',
      'ANY /v1/pets/{petId}/{proxy+}': 'fallback',
    });
  });

  it('waits longer for a function than the function runs', () => {
    for (const { Integration } of propertiesOf(template, 'AWS::ApiGateway::Method')) {
      expect(Integration).toMatchObject({ Type: 'AWS_PROXY', TimeoutInMillis: 12_000 });
    }
  });

  it('answers with the Error body for all 21 gateway responses', () => {
    const responses = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse');

    expect(responses.map(({ ResponseType }) => ResponseType).sort()).toEqual(gatewayResponseTypes);
    for (const { StatusCode, ResponseTemplates, ResponseParameters } of responses) {
      const { 'application/json': text, ...others } = ResponseTemplates as Record<string, string>;
      const error = ErrorBody.parse(JSON.parse(text ?? ''));
      expect(others).toEqual({});
      expect(String(error.status)).toBe(StatusCode);
      expect(errorStatuses[error.code]).toBe(error.status);
      // A variable of the gateway in a body may repeat what the client sent.
      expect(text).not.toContain('$');
      expect(ResponseParameters).toMatchObject({
        'gatewayresponse.header.Cache-Control': "'no-store'",
        'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
      });
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

describe('PetStoreStack', () => {
  it('differs between the stages in this and nothing else', () => {
    const tableOf = (template: Template) =>
      Object.values(template.findResources('AWS::DynamoDB::Table')).map(
        ({ Properties, DeletionPolicy, UpdateReplacePolicy }) => [
          Properties.DeletionProtectionEnabled,
          Properties.PointInTimeRecoverySpecification,
          DeletionPolicy,
          UpdateReplacePolicy,
        ],
      );

    const durable = [true, { PointInTimeRecoveryEnabled: true }, 'Retain', 'Retain'];
    const disposable = [false, { PointInTimeRecoveryEnabled: false }, 'Delete', 'Delete'];
    expect(tableOf(production)).toEqual([durable, durable, disposable]);
    expect(tableOf(staging)).toEqual([disposable, disposable, disposable]);
    const retention = (template: Template) =>
      propertiesOf(template, 'AWS::Logs::LogGroup').map(({ RetentionInDays }) => RetentionInDays);
    expect(retention(production)).toEqual(Array(4).fill(365));
    expect(retention(staging)).toEqual(Array(4).fill(30));
    const [a, b] = stages;
    const keys = Object.keys(a ?? {}) as (keyof typeof a)[];
    expect(keys.filter((key) => a?.[key] !== b?.[key])).toEqual([
      'name',
      'isDurable',
      'idsPerLease',
      'logRetentionDays',
    ]);
  });
});

const gatewayResponseTypes = [
  'ACCESS_DENIED',
  'API_CONFIGURATION_ERROR',
  'AUTHORIZER_CONFIGURATION_ERROR',
  'AUTHORIZER_FAILURE',
  'BAD_REQUEST_BODY',
  'BAD_REQUEST_PARAMETERS',
  'DEFAULT_4XX',
  'DEFAULT_5XX',
  'EXPIRED_TOKEN',
  'INTEGRATION_FAILURE',
  'INTEGRATION_TIMEOUT',
  'INVALID_API_KEY',
  'INVALID_SIGNATURE',
  'MISSING_AUTHENTICATION_TOKEN',
  'QUOTA_EXCEEDED',
  'REQUEST_TOO_LARGE',
  'RESOURCE_NOT_FOUND',
  'THROTTLED',
  'UNAUTHORIZED',
  'UNSUPPORTED_MEDIA_TYPE',
  'WAF_FILTERED',
];

function tableShape({
  AttributeDefinitions,
  KeySchema,
  GlobalSecondaryIndexes,
  BillingMode,
}: Properties): Properties {
  return { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode };
}

/** `[actions, resource, condition]` of each statement, by function. */
function policiesOf(template: Template): Record<string, unknown[]> {
  const policies = resourcesOf(template, 'AWS::IAM::Policy').map(([id, { Properties }]) => [
    functionName(id),
    Properties.PolicyDocument.Statement.map(
      ({ Effect, Action, Resource, Condition }: Record<string, unknown>) => {
        expect(Effect).toBe('Allow');
        const resources = [Resource].flat().map(resourceName).join(' ');
        return [[Action].flat(), resources, ...(Condition ? [Condition] : [])];
      },
    ),
  ]);
  return Object.fromEntries(policies);
}

function functionName(logicalId: string): string {
  return /^(listPets|createPet|getPet|fallback)/.exec(logicalId)?.[0] ?? logicalId;
}

/** Reads `Fn::GetAtt` of one resource's ARN, with what is joined to it, as a short name. */
function resourceName(resource: unknown): string {
  const { 'Fn::GetAtt': attribute, 'Fn::Join': joined } = resource as Record<string, unknown[]>;
  if (joined) {
    const [target, suffix] = joined[1] as [unknown, string];
    return `${resourceName(target)}${suffix}`;
  }
  const [id, name] = attribute as [string, string];
  expect(name).toBe('Arn');
  return /^(listPets|createPet|getPet|fallback)Log/.test(id)
    ? 'log'
    : id.replace(/[\dA-F]{8}$/, '');
}

/** `GET /v1/pets` → the function that answers it. */
function routesOf(template: Template): Record<string, string> {
  const resources = template.findResources('AWS::ApiGateway::Resource');
  const pathOf = (reference: Record<string, unknown>): string => {
    if (reference['Fn::GetAtt']) return '';
    const { ParentId, PathPart } = resources[String(reference.Ref)]?.Properties ?? {};
    return `${pathOf(ParentId)}/${PathPart}`;
  };
  const methods = propertiesOf(template, 'AWS::ApiGateway::Method').map(
    ({ HttpMethod, ResourceId, Integration }) => {
      const uri = JSON.stringify((Integration as Properties).Uri);
      const [target = ''] = /(listPets|createPet|getPet|fallback)/.exec(uri) ?? [];
      return [`${HttpMethod} ${pathOf(ResourceId as Properties) || '/'}`, target];
    },
  );
  return Object.fromEntries(methods);
}
