import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { outputNames, stackName, stages } from '../../infra/stages.ts';
import { propertiesOf, stackOf, synthesise, templates } from '../helpers/templates.ts';

const certificateArn = 'arn:aws:acm:eu-west-1:111122223333:certificate/4c7f';
const asked = synthesise({
  without: 'waf,backup',
  'v1-production:domainName': 'api.example.com',
  'v1-production:certificateArn': certificateArn,
  'v1-staging:domainName': 'staging.example.com',
  'v1-staging:certificateArn': certificateArn,
  'v1-staging:hostedZoneId': 'Z0123456789',
  'v1-staging:hostedZoneName': 'example.com',
});

const [production, staging] = templates.map(({ template }) => template) as [Template, Template];
const [withDomain, withZone] = stages.map(({ name }) =>
  Template.fromStack(stackOf(asked, stackName(name))),
) as [Template, Template];

const idOf = (template: Template, type: string) => Object.keys(template.findResources(type))[0];

describe('Firewall', () => {
  const webAcl = 'AWS::WAFv2::WebACL';
  const [firewall] = propertiesOf(production, webAcl);
  const rules = firewall?.Rules as Record<string, unknown>[];

  it('stands before the stage of the API', () => {
    const [association] = propertiesOf(production, 'AWS::WAFv2::WebACLAssociation');
    const resourceArn = association?.ResourceArn as { 'Fn::Join': [string, unknown[]] };

    expect(firewall).toMatchObject({ Scope: 'REGIONAL', DefaultAction: { Allow: {} } });
    expect(association?.WebACLArn).toEqual({ 'Fn::GetAtt': [idOf(production, webAcl), 'Arn'] });
    expect(resourceArn['Fn::Join'][1].slice(-3)).toEqual([
      { Ref: idOf(production, 'AWS::ApiGateway::RestApi') },
      '/stages/',
      { Ref: idOf(production, 'AWS::ApiGateway::Stage') },
    ]);
  });

  it('refuses an address that sends more than 6,000 requests a minute', () => {
    expect(rules[0]).toMatchObject({
      Name: 'RequestsPerAddress',
      Statement: {
        RateBasedStatement: { AggregateKeyType: 'IP', Limit: 6000, EvaluationWindowSec: 60 },
      },
    });
  });

  it('answers what it refuses with 429, the Error body and the headers of every answer', () => {
    const refusal = propertiesOf(production, 'AWS::ApiGateway::GatewayResponse').find(
      ({ ResponseType }) => ResponseType === 'WAF_FILTERED',
    );

    // A response of the rule's own would take the place of this one.
    expect(rules[0]?.Action).toEqual({ Block: {} });
    expect(refusal).toMatchObject({
      StatusCode: '429',
      ResponseParameters: {
        'gatewayresponse.header.Cache-Control': "'no-store'",
        'gatewayresponse.header.Retry-After': "'60'",
        'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
      },
      ResponseTemplates: {
        'application/json': JSON.stringify({
          code: 'too_many_requests',
          message: 'There are too many requests: wait before you send the next one.',
          status: 429,
        }),
      },
    });
  });

  it('refuses nothing for what it says, because a name may be any text', () => {
    const [, ...others] = rules;

    expect(others).toMatchObject([
      {
        Name: 'KnownBadInputs',
        OverrideAction: { Count: {} },
        Statement: {
          ManagedRuleGroupStatement: {
            VendorName: 'AWS',
            Name: 'AWSManagedRulesKnownBadInputsRuleSet',
          },
        },
      },
    ]);
  });

  it('counts what each rule finds, and hides API keys in its samples', () => {
    for (const { Name, VisibilityConfig } of rules) {
      expect(VisibilityConfig).toMatchObject({ CloudWatchMetricsEnabled: true, MetricName: Name });
    }
    expect(firewall?.DataProtectionConfig).toEqual({
      DataProtections: [
        {
          Action: 'SUBSTITUTION',
          Field: { FieldType: 'SINGLE_HEADER', FieldKeys: ['authorization'] },
        },
      ],
    });
  });

  it('is left out of staging, and where a deployment goes without it', () => {
    staging.resourceCountIs(webAcl, 0);
    withDomain.resourceCountIs(webAcl, 0);
  });
});

describe('Backups', () => {
  const plan = 'AWS::Backup::BackupPlan';

  it('are made of the pets and the API keys every day, and kept for 35 days', () => {
    const vaultId = idOf(production, 'AWS::Backup::BackupVault');
    const [selection] = propertiesOf(production, 'AWS::Backup::BackupSelection');

    expect(propertiesOf(production, plan)).toEqual([
      {
        BackupPlan: {
          BackupPlanName: 'PetStore-v1-production',
          BackupPlanRule: [
            {
              RuleName: 'Daily',
              ScheduleExpression: 'cron(0 3 * * ? *)',
              Lifecycle: { DeleteAfterDays: 35 },
              TargetBackupVault: { 'Fn::GetAtt': [vaultId, 'BackupVaultName'] },
            },
          ],
        },
      },
    ]);
    expect(selection?.BackupSelection).toMatchObject({
      Resources: [
        { 'Fn::GetAtt': [expect.stringMatching(/^Pets/), 'Arn'] },
        { 'Fn::GetAtt': [expect.stringMatching(/^ApiKeys/), 'Arn'] },
      ],
    });
  });

  it('lie in a vault that outlives the stack and lets nobody delete them', () => {
    production.hasResource('AWS::Backup::BackupVault', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        AccessPolicy: {
          Statement: [
            {
              Effect: 'Deny',
              Principal: { AWS: '*' },
              Action: ['backup:DeleteRecoveryPoint', 'backup:UpdateRecoveryPointLifecycle'],
              Resource: '*',
            },
          ],
        },
      },
    });
  });

  it('get a vault of their own from each stack, because the one of a stack that is gone stays', () => {
    const [vault] = propertiesOf(production, 'AWS::Backup::BackupVault');
    const stackUuid = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
    const uuidBegin = { 'Fn::Select': [0, { 'Fn::Split': ['-', stackUuid] }] };

    expect(vault?.BackupVaultName).toEqual({
      'Fn::Join': ['', ['PetStore-v1-production-', uuidBegin]],
    });
  });

  it('are told of where one is missing, with what to read', () => {
    const vaultId = idOf(production, 'AWS::Backup::BackupVault');
    const rules = propertiesOf(production, 'AWS::Events::Rule');
    const rule = rules.find(({ EventPattern }) =>
      JSON.stringify(EventPattern).includes('aws.backup'),
    );

    expect(rule?.EventPattern).toEqual({
      source: ['aws.backup'],
      'detail-type': ['Backup Job State Change'],
      detail: {
        state: ['FAILED', 'ABORTED', 'EXPIRED', 'PARTIAL'],
        backupVaultName: [{ 'Fn::GetAtt': [vaultId, 'BackupVaultName'] }],
      },
    });
    expect(JSON.stringify(rule?.Targets)).toContain('docs/operations.md#backup-failed');
    expect(readFileSync('docs/operations.md', 'utf8')).toContain('\n### Backup failed\n');
  });

  it('are left out of staging, and where a deployment goes without them', () => {
    staging.resourceCountIs(plan, 0);
    withDomain.resourceCountIs(plan, 0);
  });
});

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

  it.each([production, staging, withDomain])(
    "takes TLS 1.2 and above at API Gateway's own address, which a domain closes",
    (template) => {
      template.hasResourceProperties('AWS::ApiGateway::RestApi', {
        ...tls,
        DisableExecuteApiEndpoint: template === withDomain,
      });
    },
  );
});

describe('ApiDomain', () => {
  it('leads to the stage with an empty base path, so that addresses end in /v1', () => {
    const [mapping] = propertiesOf(withDomain, 'AWS::ApiGateway::BasePathMapping');

    expect(mapping).toMatchObject({
      Stage: { Ref: idOf(withDomain, 'AWS::ApiGateway::Stage') },
    });
    expect(mapping).not.toHaveProperty('BasePath');
    withDomain.hasOutput(outputNames.baseAddress, { Value: 'https://api.example.com/v1' });
  });

  it('takes TLS 1.2 and above, with the certificate that the operators name', () => {
    expect(propertiesOf(withDomain, 'AWS::ApiGateway::DomainName')).toEqual([
      {
        DomainName: 'api.example.com',
        RegionalCertificateArn: certificateArn,
        EndpointConfiguration: { Types: ['REGIONAL'] },
        ...tls,
      },
    ]);
  });

  it('gets an alias record in the zone that is named', () => {
    expect(propertiesOf(withZone, 'AWS::Route53::RecordSet')).toMatchObject([
      {
        Type: 'A',
        Name: 'staging.example.com.',
        HostedZoneId: 'Z0123456789',
        AliasTarget: {
          DNSName: { 'Fn::GetAtt': [domainId, 'RegionalDomainName'] },
          HostedZoneId: { 'Fn::GetAtt': [domainId, 'RegionalHostedZoneId'] },
        },
      },
    ]);
  });

  it('says what a record has to point to where no zone is named', () => {
    withDomain.resourceCountIs('AWS::Route53::RecordSet', 0);
    withDomain.hasOutput('DomainTarget', {
      Value: { 'Fn::GetAtt': [domainId, 'RegionalDomainName'] },
    });
  });

  it('is left out where the deployment names none', () => {
    staging.resourceCountIs('AWS::ApiGateway::DomainName', 0);
    expect(Object.keys(staging.findOutputs('*'))).not.toContain('DomainTarget');
  });
});

const tls = {
  SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
  EndpointAccessMode: 'STRICT',
};

const domainId = idOf(withZone, 'AWS::ApiGateway::DomainName');
