import { describe, expect, it } from 'vitest';
import { stackName } from '../../../infra/stages.ts';
import { stagesWith } from '../../helpers/stagesWith.ts';
import {
  type Properties,
  propertiesOf,
  synthesise,
  templateOf,
  templates,
} from '../../helpers/templates.ts';

const corsOrigins = ['https://app.example.com', 'https://admin.example.com'];

describe('corsOrigins of a stage', () => {
  const stages = stagesWith({ corsOrigins });
  const template = templateOf(synthesise({}, stages), stackName('v1-staging'));
  const preflights = propertiesOf(template, 'AWS::ApiGateway::Method').filter(
    ({ HttpMethod }) => HttpMethod === 'OPTIONS',
  );

  it('lets the gateway respond to preflight requests of each path, for exactly these origins', () => {
    expect(preflights).toHaveLength(2);
    for (const { Integration, AuthorizationType } of preflights) {
      const { Type, IntegrationResponses } = Integration as Properties;
      const [response] = IntegrationResponses as Record<string, Record<string, string>>[];
      expect([Type, AuthorizationType]).toEqual(['MOCK', 'NONE']);
      expect(response?.ResponseParameters).toMatchObject({
        'method.response.header.Access-Control-Allow-Methods': "'GET, POST'",
        'method.response.header.Access-Control-Allow-Headers':
          "'Authorization, Content-Type, Idempotency-Key'",
        'method.response.header.Vary': "'Origin'",
      });
      expect(response?.ResponseTemplates?.['application/json']).toContain(
        '#if($origin == "https://app.example.com" || $origin == "https://admin.example.com")#set($context.responseOverride.header.Access-Control-Allow-Origin = $origin)#end',
      );
    }
  });

  it('lets pages read the errors of the gateway', () => {
    const responses = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse');

    expect(responses).toHaveLength(21);
    for (const { ResponseParameters } of responses) {
      expect(ResponseParameters).toMatchObject({
        'gatewayresponse.header.Access-Control-Allow-Origin': "'*'",
        'gatewayresponse.header.Access-Control-Expose-Headers': "'*'",
      });
    }
  });

  it('reaches each function', () => {
    const functions = propertiesOf(template, 'AWS::Lambda::Function').map(
      ({ Environment }) => (Environment as { Variables?: Properties } | undefined)?.Variables,
    );

    expect(functions.filter((each) => each?.CORS_ORIGINS === corsOrigins.join(' '))).not.toEqual(
      [],
    );
    expect(functions.filter((each) => each?.STAGE && !each.CORS_ORIGINS)).toEqual([]);
  });

  it('gives preflight requests a share of the throttle, within the figure of the stage', () => {
    const [{ MethodSettings } = {}] = propertiesOf(template, 'AWS::ApiGateway::Stage');
    const settings = MethodSettings as { HttpMethod: string; ThrottlingRateLimit: number }[];
    const ownRates = settings
      .filter(({ HttpMethod }) => HttpMethod !== '*')
      .map(({ ThrottlingRateLimit }) => ThrottlingRateLimit);

    // Nine tenths of 150, for three operations and two paths.
    expect(ownRates).toEqual([27, 27, 27, 27, 27]);
  });

  it('is empty by default: no preflight method and no header', () => {
    for (const { template: each } of templates) {
      expect(JSON.stringify(each.toJSON())).not.toMatch(/Access-Control|"CORS_ORIGINS"|OPTIONS/);
    }
  });
});
