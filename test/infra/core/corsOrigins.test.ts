import { describe, expect, it } from 'vitest';
import { operationEntries } from '../../../lib/operations.ts';
import { fullStaging as template } from '../../helpers/fullStacks.ts';
import { functionNames, propertiesOf } from '../../helpers/templates.ts';

describe('corsOrigins of a stage', () => {
  const corsOrigins = ['https://app.example.com', 'https://admin.example.com'];

  it('lets the gateway respond to preflight requests of each path, for exactly these origins, and never with 500', () => {
    const preflights = propertiesOf(template, 'AWS::ApiGateway::Method').filter(
      ({ HttpMethod }) => HttpMethod === 'OPTIONS',
    );

    expect(preflights).toHaveLength(new Set(operationEntries.map(([, { path }]) => path)).size);
    for (const { Integration, AuthorizationType } of preflights) {
      const { Type, IntegrationResponses, PassthroughBehavior } = Integration;
      const [condition = ''] = /#if\(.*==.*?\)/.exec(JSON.stringify(IntegrationResponses)) ?? [];
      expect([Type, AuthorizationType]).toEqual(['MOCK', 'NONE']);
      expect(IntegrationResponses[0].ResponseParameters).toHaveProperty(
        ['method.response.header.Access-Control-Allow-Headers'],
        "'Authorization, *'",
      );
      expect(condition.match(/(?<=== \\+")[^"\\]+/g)).toEqual(corsOrigins);
      // Another media type gets 415. By default it gets 500.
      expect(PassthroughBehavior).toBe('NEVER');
    }
  });

  it('lets pages read the responses of the gateway and of the functions', () => {
    const responses = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse');
    const environments = propertiesOf(template, 'AWS::Lambda::Function')
      .map(({ Environment }) => Environment.Variables)
      .filter(({ PETS_TABLE }) => PETS_TABLE);

    expect(responses).not.toEqual([]);
    for (const { ResponseParameters } of responses) {
      expect(ResponseParameters).toHaveProperty(
        ['gatewayresponse.header.Access-Control-Allow-Origin'],
        "'*'",
      );
    }
    expect(environments).toHaveLength(functionNames.length);
    for (const { CORS_ORIGINS } of environments) expect(CORS_ORIGINS).toBe(corsOrigins.join(' '));
  });
});
