import { describe, expect, it } from 'vitest';
import { baseAddressOutput } from '../../../../infra/core/stackNames.ts';
import { checkChanged, durableName } from '../../../helpers/bareStage.ts';
import { fullStaging, fullProduction as template } from '../../../helpers/fullStacks.ts';
import { propertiesOf, readable } from '../../../helpers/templates.ts';

describe('the settings of a domain', () => {
  const certificateArn = 'arn:aws:acm:eu-west-1:111122223333:certificate/4c7f';
  const domain = {
    name: 'example.com',
    certificateArn,
    hostedZone: { id: 'Z1', name: 'example.com' },
  };

  it.each<[fault: string, changed: object]>([
    ['domain.name: Use a name', { name: 'https://api.example.com/v1' }],
    ['domain.certificateArn: Use the ARN', { certificateArn: '4c7f' }],
    ['domain.hostedZone.id: ', { hostedZone: { id: '', name: 'example.com' } }],
  ])('are refused, with what to change: %s', (fault, changed) => {
    expect(() => checkChanged({ domain })).not.toThrow();
    expect(() => checkChanged({ domain: { ...domain, ...changed } })).toThrow(
      `${durableName} ${fault}`,
    );
  });
});

describe('ApiDomain', () => {
  it('maps an empty base path to the stage, so that base addresses end in /v1', () => {
    const [mapping] = propertiesOf(template, 'AWS::ApiGateway::BasePathMapping');

    expect(mapping.Stage).toBe(`<ApiDeploymentStage${durableName.replaceAll('-', '')}>`);
    expect(mapping).not.toHaveProperty('BasePath');
    template.hasOutput(baseAddressOutput, { Value: 'https://api.example.com/v1' });
  });

  it('accepts the same TLS connections as the address of API Gateway', () => {
    const [own, custom] = ['RestApi', 'DomainName'].map((type) => {
      const [endpoint = {}] = propertiesOf(template, `AWS::ApiGateway::${type}`);
      return [endpoint.SecurityPolicy, endpoint.EndpointAccessMode];
    });

    expect(custom).not.toContain(undefined);
    expect(custom).toEqual(own);
  });

  it('outputs the target of the DNS record if the settings name no zone', () => {
    fullStaging.resourceCountIs('AWS::Route53::RecordSet', 0);
    const { DomainTarget } = readable(fullStaging.findOutputs('*'));
    expect(DomainTarget.Value).toBe('<DomainName.RegionalDomainName>');
  });
});
