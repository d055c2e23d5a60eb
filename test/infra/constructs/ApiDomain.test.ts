import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { outputNames, stackName, stages } from '../../../infra/stages.ts';
import { stagesWith } from '../../helpers/stagesWith.ts';
import {
  idOf,
  production,
  propertiesOf,
  staging,
  synthesise,
  templateOf,
} from '../../helpers/templates.ts';

const certificateArn = 'arn:aws:acm:eu-west-1:111122223333:certificate/4c7f';
const asked = synthesise(
  stagesWith(
    {},
    {
      'v1-production': { domain: { name: 'api.example.com', certificateArn } },
      'v1-staging': {
        domain: {
          name: 'staging.example.com',
          certificateArn,
          hostedZone: { id: 'Z0123456789', name: 'example.com' },
        },
      },
    },
  ),
);

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

  it('requires TLS 1.2, and accepts IPv4 and IPv6, with the certificate in the settings', () => {
    expect(propertiesOf(withDomain, 'AWS::ApiGateway::DomainName')).toEqual([
      {
        DomainName: 'api.example.com',
        RegionalCertificateArn: certificateArn,
        EndpointConfiguration: { Types: ['REGIONAL'], IpAddressType: 'dualstack' },
        ...tls,
      },
    ]);
  });

  it('gets alias records for IPv4 and IPv6 in the zone in the settings', () => {
    expect(propertiesOf(withZone, 'AWS::Route53::RecordSet')).toMatchObject(
      ['A', 'AAAA'].map((Type) => ({
        Type,
        Name: 'staging.example.com.',
        HostedZoneId: 'Z0123456789',
        AliasTarget: {
          DNSName: { 'Fn::GetAtt': [domainId, 'RegionalDomainName'] },
          HostedZoneId: { 'Fn::GetAtt': [domainId, 'RegionalHostedZoneId'] },
        },
      })),
    );
  });

  it('outputs the target of the DNS record if the settings name no zone', () => {
    withDomain.resourceCountIs('AWS::Route53::RecordSet', 0);
    withDomain.hasOutput('DomainTarget', {
      Value: { 'Fn::GetAtt': [domainId, 'RegionalDomainName'] },
    });
  });
});

describe('PetStoreApi', () => {
  it.each([production, staging, withDomain])(
    "requires TLS 1.2 at API Gateway's own address, which stays open next to a custom domain",
    (template) => {
      template.hasResourceProperties('AWS::ApiGateway::RestApi', {
        ...tls,
        DisableExecuteApiEndpoint: Match.absent(),
        EndpointConfiguration: {
          Types: ['REGIONAL'],
          IpAddressType: template === withDomain ? 'dualstack' : Match.absent(),
        },
      });
    },
  );
});

describe('Heartbeat', () => {
  it('calls the custom domain of a stage', () => {
    expect(JSON.stringify(propertiesOf(withDomain, 'AWS::Lambda::Function'))).toContain(
      '"BASE_ADDRESS":"https://api.example.com/v1"',
    );
  });
});
