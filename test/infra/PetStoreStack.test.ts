import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { tableConstruct } from '../../infra/core/stackNames.ts';
import { sandboxStage } from '../../infra/stages.ts';
import { type TableName, tables } from '../../lib/tables.ts';
import { createTableInput } from '../../local/createTables.ts';
import { fullProduction, fullProductionStage } from '../helpers/fullStacks.ts';
import {
  propertiesOf,
  resourcesOf,
  shortId,
  synthesise,
  templateOf,
  templates,
} from '../helpers/templates.ts';

type Resource = { Type: string; DeletionPolicy?: string; UpdateReplacePolicy?: string };

describe.each(templates)('TablesStack $stage.name', ({ stage, tables: template }) => {
  it('has the same tables as the local database', () => {
    const local = Object.values(tables).map((each) => {
      const { TableName, ...shape } = createTableInput('', each);
      return shape;
    });

    expect(propertiesOf(template, 'AWS::DynamoDB::Table')).toMatchObject(local);
  });

  it('keeps and protects its tables if it is durable, and no other', () => {
    const protectedTables = resourcesOf(template, 'AWS::DynamoDB::Table')
      .filter(([, { Properties }]) => Properties.DeletionProtectionEnabled)
      .map(([id]) => shortId(id));

    expect(keptBy(template)).toEqual(protectedTables);
    expect(protectedTables).toEqual(
      stage.isDurable ? Object.keys(tables).map((name) => tableConstruct(name as TableName)) : [],
    );
  });
});

describe.each(templates)('PetStoreStack $stage.name', ({ stage, template }) => {
  it('keeps logs and the roles of functions after its deletion if it is durable', () => {
    // All APIs of an account share this role, so it always stays.
    const shared = ['ApiAccount', 'ApiCloudWatchRole'];
    const ofFunctions = ['AWS::Logs::LogGroup', 'AWS::IAM::Role']
      .flatMap((type) => resourcesOf(template, type).map(([id]) => shortId(id)))
      .filter((id) => !shared.includes(id));

    expect(keptBy(template).sort()).toEqual(
      [...shared, ...(stage.isDurable ? ofFunctions : [])].sort(),
    );
  });
});

/** What stays if the stack is deleted, apart from the versions of functions. */
function keptBy(template: Template): string[] {
  return Object.entries<Resource>(template.toJSON().Resources)
    .filter(([, { Type }]) => Type !== 'AWS::Lambda::Version')
    .filter(([, { DeletionPolicy }]) => String(DeletionPolicy).startsWith('Retain'))
    .map(([id]) => shortId(id));
}

describe('PetStoreStack with every part', () => {
  it('calls its domain, and needs a heartbeat, when the domain exists with its DNS records', () => {
    const types = ['ApiGateway::DomainName', 'ApiGateway::BasePathMapping', 'Route53::RecordSet'];
    const rules = resourcesOf(fullProduction, 'AWS::Events::Rule').filter(
      ([id]) => shortId(id) === 'MonitoringHeartbeatSchedule',
    );
    const alarms = resourcesOf(fullProduction, 'AWS::CloudWatch::Alarm').filter(
      ([, { Properties }]) => Properties.WarmUpConfiguration,
    );

    expect(rules).not.toEqual([]);
    expect(alarms).not.toEqual([]);
    for (const type of types) {
      const ids = Object.keys(fullProduction.findResources(`AWS::${type}`));
      expect(ids).not.toEqual([]);
      for (const [, { DependsOn }] of [...rules, ...alarms]) {
        expect(DependsOn).toEqual(expect.arrayContaining(ids));
      }
    }
  });
});

describe('PetStoreStack of a sandbox', () => {
  // It follows a stage with every optional setting, and must leave them out.
  const app = synthesise([sandboxStage('v1-alice', fullProductionStage)]);
  const template = templateOf(app, 'PetStore-v1-alice');
  const resources = ['PetStore-v1-alice', 'PetStore-v1-alice-tables'].flatMap((name) =>
    Object.values<Resource>(templateOf(app, name).toJSON().Resources),
  );

  it('leaves nothing behind when it is deleted', () => {
    const kept = resources.filter(({ DeletionPolicy, UpdateReplacePolicy }) =>
      [DeletionPolicy, UpdateReplacePolicy].some((policy) => policy && policy !== 'Delete'),
    );

    // A deleted function takes its versions with it.
    expect([...new Set(kept.map(({ Type }) => Type))]).toEqual(['AWS::Lambda::Version']);
    expect(JSON.stringify(resources)).not.toContain('"DeletionProtectionEnabled":true');
    expect(app.node.children.map(({ node }) => node.id).sort()).toEqual([
      'PetStore-v1-alice',
      'PetStore-v1-alice-tables',
    ]);
  });

  it('has only what every stage has, and neither an access log nor its role of the account', () => {
    const types = [
      'ApiGateway::Deployment ApiGateway::GatewayResponse ApiGateway::Method ApiGateway::Resource',
      'ApiGateway::RestApi ApiGateway::Stage DynamoDB::Table IAM::Role Lambda::Alias',
      'Lambda::Function Lambda::Permission Lambda::Version Logs::LogGroup',
    ];

    expect([...new Set(resources.map(({ Type }) => Type.replace('AWS::', '')))].sort()).toEqual(
      types.flatMap((line) => line.split(' ')),
    );
    const [apiStage] = propertiesOf(template, 'AWS::ApiGateway::Stage');
    expect(apiStage).not.toHaveProperty('AccessLogSetting');
  });
});
