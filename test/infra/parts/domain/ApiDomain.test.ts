import { describe, expect, it } from 'vitest';
import { baseAddressOutput } from '../../../../infra/core/stackNames.ts';
import { durableName } from '../../../helpers/bareStage.ts';
import { fullStaging, fullProduction as template } from '../../../helpers/fullStacks.ts';
import {
  production,
  propertiesOf,
  readable,
  resourcesOf,
  shortId,
} from '../../../helpers/templates.ts';

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

  it('exists with its DNS records before the heartbeat calls it', () => {
    const types = ['ApiGateway::DomainName', 'ApiGateway::BasePathMapping', 'Route53::RecordSet'];
    const schedule = resourcesOf(template, 'AWS::Events::Rule').find(
      ([id]) => shortId(id) === 'HeartbeatSchedule',
    );
    const earlier: string[] = schedule?.[1].DependsOn;

    for (const type of types) {
      const ids = Object.keys(template.findResources(`AWS::${type}`));
      expect(ids).not.toEqual([]);
      expect(earlier).toEqual(expect.arrayContaining(ids));
    }
  });

  it('outputs the target of the DNS record if the settings name no zone', () => {
    fullStaging.resourceCountIs('AWS::Route53::RecordSet', 0);
    const { DomainTarget } = readable(fullStaging.findOutputs('*'));
    expect(DomainTarget.Value).toBe('<DomainName.RegionalDomainName>');
  });
});

describe.each([
  ["API Gateway's own address", production],
  ['a custom domain', template],
])('%s', (_, each) => {
  it('is what the heartbeat calls, without a key', () => {
    const heartbeat = propertiesOf(each, 'AWS::Lambda::Function')
      .map(({ Environment }) => Environment.Variables)
      .find(({ BASE_ADDRESS }) => BASE_ADDRESS);
    const { [baseAddressOutput]: output } = readable(each.findOutputs('*'));

    expect(heartbeat.BASE_ADDRESS).toBe(output.Value);
    expect(Object.keys(heartbeat)).toEqual(['BASE_ADDRESS', 'STAGE', 'RELEASE']);
  });
});
