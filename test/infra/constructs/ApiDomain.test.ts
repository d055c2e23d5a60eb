import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { baseAddressOutput, stackName } from '../../../infra/stackNames.ts';
import { bareStage } from '../../helpers/bareStage.ts';
import {
  idOf,
  type Properties,
  production,
  propertiesOf,
  synthesise,
  templateOf,
  textOf,
} from '../../helpers/templates.ts';

const certificateArn = 'arn:aws:acm:eu-west-1:111122223333:certificate/4c7f';
const domain = { name: 'api.example.com', certificateArn };
const hostedZone = { id: 'Z0123456789', name: 'example.com' };
const [withDomain, withZone] = [domain, { ...domain, hostedZone }].map((each) =>
  templateOf(
    synthesise([{ ...bareStage('v1-production'), domain: each }]),
    stackName('v1-production'),
  ),
) as [Template, Template];

describe('ApiDomain', () => {
  it('maps an empty base path to the stage, so that base addresses end in /v1', () => {
    const [mapping] = propertiesOf(withDomain, 'AWS::ApiGateway::BasePathMapping');

    expect(mapping).toMatchObject({
      Stage: { Ref: idOf(withDomain, 'AWS::ApiGateway::Stage') },
    });
    expect(mapping).not.toHaveProperty('BasePath');
    withDomain.hasOutput(baseAddressOutput, { Value: 'https://api.example.com/v1' });
  });

  it('accepts IPv4 and IPv6', () => {
    for (const type of ['DomainName', 'RestApi']) {
      const [properties] = propertiesOf(withDomain, `AWS::ApiGateway::${type}`);
      expect(properties).toHaveProperty('EndpointConfiguration.IpAddressType', 'dualstack');
    }
    expect(propertiesOf(withZone, 'AWS::Route53::RecordSet')).toMatchObject([
      { Type: 'A', Name: 'api.example.com.' },
      { Type: 'AAAA', Name: 'api.example.com.' },
    ]);
  });

  it('accepts the same TLS connections as the address of API Gateway', () => {
    const [own, custom] = ['RestApi', 'DomainName'].map((type) => {
      const [endpoint = {}] = propertiesOf(withDomain, `AWS::ApiGateway::${type}`);
      return [endpoint.SecurityPolicy, endpoint.EndpointAccessMode];
    });

    expect(custom).not.toContain(undefined);
    expect(custom).toEqual(own);
  });

  it('outputs the target of the DNS record if the settings name no zone', () => {
    withDomain.resourceCountIs('AWS::Route53::RecordSet', 0);
    withDomain.hasOutput('DomainTarget', {
      Value: {
        'Fn::GetAtt': [idOf(withDomain, 'AWS::ApiGateway::DomainName'), 'RegionalDomainName'],
      },
    });
  });
});

describe.each([
  ["API Gateway's own address", production],
  ['a custom domain', withDomain],
])('%s', (_, template) => {
  it('is what the heartbeat calls, without a key', () => {
    const environments = propertiesOf(template, 'AWS::Lambda::Function').map(
      ({ Environment }) => (Environment as { Variables: Properties }).Variables,
    );
    const [heartbeat = {}] = environments.filter((each) => each.BASE_ADDRESS);
    const outputs = template.findOutputs(baseAddressOutput);

    expect(textOf(heartbeat.BASE_ADDRESS)).toBe(textOf(outputs[baseAddressOutput]?.Value));
    expect(Object.keys(heartbeat)).toEqual(['BASE_ADDRESS', 'STAGE', 'RELEASE']);
  });
});
