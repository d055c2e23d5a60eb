import { describe, expect, it } from 'vitest';
import { operationEntries } from '../../../lib/operations.ts';
import { stagesWith } from '../../helpers/stagesWith.ts';
import {
  type Properties,
  propertiesOf,
  synthesise,
  templateOf,
  templates,
} from '../../helpers/templates.ts';

describe('corsOrigins of a stage', () => {
  const corsOrigins = ['https://app.example.com', 'https://admin.example.com'];
  const template = templateOf(synthesise(stagesWith({ corsOrigins })), 'PetStore-v1-staging');

  it('lets the gateway respond to preflight requests of each path, for exactly these origins', () => {
    const preflights = propertiesOf(template, 'AWS::ApiGateway::Method').filter(
      ({ HttpMethod }) => HttpMethod === 'OPTIONS',
    );
    const methods = [...new Set(operationEntries.map(([, { method }]) => method))].join(', ');

    expect(preflights).toHaveLength(new Set(operationEntries.map(([, { path }]) => path)).size);
    for (const { Integration, AuthorizationType } of preflights) {
      const { Type, IntegrationResponses } = Integration as Properties;
      const [response] = IntegrationResponses as Record<string, Record<string, string>>[];
      expect([Type, AuthorizationType]).toEqual(['MOCK', 'NONE']);
      expect(response?.ResponseParameters).toMatchObject({
        'method.response.header.Access-Control-Allow-Methods': `'${methods}'`,
        'method.response.header.Access-Control-Allow-Headers':
          "'Authorization, Content-Type, Idempotency-Key, traceparent, tracestate, X-Request-Id'",
        'method.response.header.Vary': "'Origin'",
      });
      expect(response?.ResponseTemplates?.['application/json']).toContain(
        '#if($origin == "https://app.example.com" || $origin == "https://admin.example.com")#set($context.responseOverride.header.Access-Control-Allow-Origin = $origin)#end',
      );
    }
  });

  it('lets pages read the errors of the gateway', () => {
    for (const { ResponseParameters } of propertiesOf(
      template,
      'AWS::ApiGateway::GatewayResponse',
    )) {
      expect(ResponseParameters).toMatchObject({
        'gatewayresponse.header.Access-Control-Allow-Origin': "'*'",
        'gatewayresponse.header.Access-Control-Expose-Headers': "'*'",
      });
    }
  });

  it('reaches each function that reads the settings of the stage', () => {
    const functions = propertiesOf(template, 'AWS::Lambda::Function').map(
      ({ Environment }) => (Environment as { Variables: Properties }).Variables,
    );

    expect(functions.filter((each) => each.CORS_ORIGINS === corsOrigins.join(' '))).not.toEqual([]);
    expect(functions.filter((each) => each.PETS_TABLE && !each.CORS_ORIGINS)).toEqual([]);
  });

  it('is empty by default: no preflight method and no header', () => {
    for (const { template: each } of templates) {
      expect(JSON.stringify(each.toJSON())).not.toMatch(/Access-Control|"CORS_ORIGINS"|OPTIONS/);
    }
  });
});
