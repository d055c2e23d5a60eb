import { describe, expect, it } from 'vitest';
import { baseAddressOutput } from '../../../../infra/core/stackNames.ts';
import { durableName } from '../../../helpers/bareStage.ts';
import { fullStaging, fullProduction as template } from '../../../helpers/fullStacks.ts';
import { propertiesOf, readable } from '../../../helpers/templates.ts';

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
