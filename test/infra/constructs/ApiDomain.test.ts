import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { outputNames, stackName, stages } from '../../../infra/stages.ts';
import {
  idOf,
  production,
  propertiesOf,
  staging,
  synthesise,
  templateOf,
} from '../../helpers/templates.ts';

const certificateArn = 'arn:aws:acm:eu-west-1:111122223333:certificate/4c7f';
const asked = synthesise({
  'v1-production:domainName': 'api.example.com',
  'v1-production:certificateArn': certificateArn,
  'v1-staging:domainName': 'staging.example.com',
  'v1-staging:certificateArn': certificateArn,
  'v1-staging:hostedZoneId': 'Z0123456789',
  'v1-staging:hostedZoneName': 'example.com',
});

const [withDomain, withZone] = stages.map(({ name }) => templateOf(asked, stackName(name))) as [
  Template,
  Template,
];

const domainId = idOf(withZone, 'AWS::ApiGateway::DomainName');

const tls = {
  SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
  EndpointAccessMode: 'STRICT',
};

describe('ApiDomain', () => {
  it('maps an empty base path to the stage, so that base addresses end in /v1', () => {
    const [mapping] = propertiesOf(withDomain, 'AWS::ApiGateway::BasePathMapping');

    expect(mapping).toMatchObject({
      Stage: { Ref: idOf(withDomain, 'AWS::ApiGateway::Stage') },
    });
    expect(mapping).not.toHaveProperty('BasePath');
    withDomain.hasOutput(outputNames.baseAddress, { Value: 'https://api.example.com/v1' });
  });

  it('requires TLS 1.2, with the certificate in the context', () => {
    expect(propertiesOf(withDomain, 'AWS::ApiGateway::DomainName')).toEqual([
      {
        DomainName: 'api.example.com',
        RegionalCertificateArn: certificateArn,
        EndpointConfiguration: { Types: ['REGIONAL'] },
        ...tls,
      },
    ]);
  });

  it('gets an alias record in the zone in the context', () => {
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

  it('outputs the target of the DNS record if the context names no zone', () => {
    withDomain.resourceCountIs('AWS::Route53::RecordSet', 0);
    withDomain.hasOutput('DomainTarget', {
      Value: { 'Fn::GetAtt': [domainId, 'RegionalDomainName'] },
    });
  });

  it('is absent by default', () => {
    staging.resourceCountIs('AWS::ApiGateway::DomainName', 0);
    expect(Object.keys(staging.findOutputs('*'))).not.toContain('DomainTarget');
  });
});

describe('PetStoreApi', () => {
  it.each([production, staging, withDomain])(
    "requires TLS 1.2 at API Gateway's own address, and closes it for a custom domain",
    (template) => {
      template.hasResourceProperties('AWS::ApiGateway::RestApi', {
        ...tls,
        DisableExecuteApiEndpoint: template === withDomain,
      });
    },
  );
});
