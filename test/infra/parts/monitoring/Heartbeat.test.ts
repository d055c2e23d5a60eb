import { describe, expect, it } from 'vitest';
import { baseAddressOutput } from '../../../../infra/core/stackNames.ts';
import { fullProduction } from '../../../helpers/fullStacks.ts';
import { production, propertiesOf, readable } from '../../../helpers/templates.ts';

describe('Heartbeat', () => {
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
