import { describe, expect, it } from 'vitest';
import { baseAddressOutput } from '../../../../infra/core/stackNames.ts';
import { fullProduction } from '../../../helpers/fullStacks.ts';
import {
  production,
  propertiesOf,
  readable,
  resourcesOf,
  shortId,
} from '../../../helpers/templates.ts';

describe('Heartbeat', () => {
  it('begins when the domain exists with its DNS records', () => {
    const types = ['ApiGateway::DomainName', 'ApiGateway::BasePathMapping', 'Route53::RecordSet'];
    const schedule = resourcesOf(fullProduction, 'AWS::Events::Rule').find(
      ([id]) => shortId(id) === 'HeartbeatSchedule',
    );
    const earlier: string[] = schedule?.[1].DependsOn;

    for (const type of types) {
      const ids = Object.keys(fullProduction.findResources(`AWS::${type}`));
      expect(ids).not.toEqual([]);
      expect(earlier).toEqual(expect.arrayContaining(ids));
    }
  });

  it.each([
    ["API Gateway's own address", production],
    ['a custom domain', fullProduction],
  ])('calls %s without a key', (_, template) => {
    const heartbeat = propertiesOf(template, 'AWS::Lambda::Function')
      .map(({ Environment }) => Environment.Variables)
      .find(({ BASE_ADDRESS }) => BASE_ADDRESS);
    const { [baseAddressOutput]: output } = readable(template.findOutputs('*'));

    expect(heartbeat.BASE_ADDRESS).toBe(output.Value);
    expect(Object.keys(heartbeat)).toEqual(['BASE_ADDRESS', 'STAGE', 'RELEASE']);
  });
});
