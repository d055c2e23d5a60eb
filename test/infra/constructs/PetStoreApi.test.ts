import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { errorStatuses } from '../../../lib/errors.ts';
import { operationEntries } from '../../../lib/operations.ts';
import { ErrorBody } from '../../../lib/schemas.ts';
import { type Properties, propertiesOf, templates, textOf } from '../../helpers/templates.ts';

describe.each(templates)('PetStoreApi of $stage.name', ({ template }) => {
  it('routes each operation to its function, and all else to the fallback', () => {
    const routes = routesOf(template);

    for (const [name, { method, path }] of operationEntries) {
      expect(routes[`${method} /v1${path}`]).toBe(name);
    }
    expect(routes).toEqual({
      'GET /v1/pets': 'listPets',
      'POST /v1/pets': 'createPet',
      'GET /v1/pets/{petId}': 'getPet',
      'ANY /': 'fallback',
      'ANY /{proxy+}': 'fallback',
      'ANY /v1': 'fallback',
      'ANY /v1/{proxy+}': 'fallback',
      'ANY /v1/pets': 'fallback',
      'ANY /v1/pets/{petId}': 'fallback',
      'ANY /v1/pets/{petId}/{proxy+}': 'fallback',
    });
  });

  it('reaches each function by its alias, which may be invoked by this API alone', () => {
    const targets = propertiesOf(template, 'AWS::ApiGateway::Method').map(({ Integration }) =>
      textOf((Integration as Properties).Uri),
    );
    const permissions = propertiesOf(template, 'AWS::Lambda::Permission');

    for (const target of targets) expect(target).toMatch(/functions\/<\w+Alias>\/invocations$/);
    expect(permissions.map(({ FunctionName }) => textOf(FunctionName)).sort()).toEqual([
      '<createPetAlias>',
      '<fallbackAlias>',
      '<getPetAlias>',
      '<listPetsAlias>',
    ]);
    for (const { Principal, SourceArn } of permissions) {
      expect(Principal).toBe('apigateway.amazonaws.com');
      expect(textOf(SourceArn)).toMatch(/:<Api>\/\*\/\*\/\*$/);
    }
  });

  it('is traced, and logs each request as JSON', () => {
    const [apiStage = {}] = propertiesOf(template, 'AWS::ApiGateway::Stage');
    const { DestinationArn, Format } = apiStage.AccessLogSetting as Properties;

    expect(apiStage.TracingEnabled).toBe(true);
    expect(textOf(DestinationArn)).toMatch(/:log-group:<AccessLog>$/);
    // Each value is in quotes: the gateway writes a bare dash where it has none.
    expect(JSON.parse(String(Format).replaceAll(/\$context\.[\w.]+/g, '-'))).toEqual(
      Object.fromEntries(accessLogFields.map((name) => [name, '-'])),
    );
  });

  it('logs nothing that a client wrote, and no message that repeats it', () => {
    const [apiStage = {}] = propertiesOf(template, 'AWS::ApiGateway::Stage');
    const { Format } = apiStage.AccessLogSetting as Properties;
    const variables = String(Format).match(/\$context\.[\w.]+/g) ?? [];

    expect(variables).toHaveLength(accessLogFields.length);
    for (const variable of variables) {
      expect(variable).not.toMatch(
        /message|\.path$|header|query|userAgent|requestOverride|apiKey/i,
      );
    }
    // The gateway's execution log would.
    expect(apiStage).not.toHaveProperty('MethodSettings.0.LoggingLevel');
    expect(apiStage).toHaveProperty('MethodSettings.0.DataTraceEnabled', false);
  });

  it('waits longer for a function than the function runs', () => {
    for (const { Integration } of propertiesOf(template, 'AWS::ApiGateway::Method')) {
      expect(Integration).toMatchObject({ Type: 'AWS_PROXY', TimeoutInMillis: 12_000 });
    }
  });

  it('answers with the Error body for all 21 gateway responses', () => {
    const responses = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse');

    expect(responses.map(({ ResponseType }) => ResponseType).sort()).toEqual(gatewayResponseTypes);
    for (const { StatusCode, ResponseTemplates, ResponseParameters } of responses) {
      const { 'application/json': text, ...others } = ResponseTemplates as Record<string, string>;
      const error = ErrorBody.parse(JSON.parse(text ?? ''));
      expect(others).toEqual({});
      expect(String(error.status)).toBe(StatusCode);
      expect(errorStatuses[error.code]).toBe(error.status);
      // A variable of the gateway in a body may repeat what the client sent.
      expect(text).not.toContain('$');
      expect(ResponseParameters).toMatchObject({
        'gatewayresponse.header.Cache-Control': "'no-store'",
        'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
      });
    }
  });
});

const accessLogFields = [
  'requestId',
  'functionRequestId',
  'traceId',
  'requestedAtEpochMs',
  'sourceIp',
  'method',
  'resourcePath',
  'status',
  'latencyMs',
  'integrationStatus',
  'integrationLatencyMs',
  'responseBytes',
  'gatewayResponse',
  'wafResponse',
];

const gatewayResponseTypes = [
  'ACCESS_DENIED',
  'API_CONFIGURATION_ERROR',
  'AUTHORIZER_CONFIGURATION_ERROR',
  'AUTHORIZER_FAILURE',
  'BAD_REQUEST_BODY',
  'BAD_REQUEST_PARAMETERS',
  'DEFAULT_4XX',
  'DEFAULT_5XX',
  'EXPIRED_TOKEN',
  'INTEGRATION_FAILURE',
  'INTEGRATION_TIMEOUT',
  'INVALID_API_KEY',
  'INVALID_SIGNATURE',
  'MISSING_AUTHENTICATION_TOKEN',
  'QUOTA_EXCEEDED',
  'REQUEST_TOO_LARGE',
  'RESOURCE_NOT_FOUND',
  'THROTTLED',
  'UNAUTHORIZED',
  'UNSUPPORTED_MEDIA_TYPE',
  'WAF_FILTERED',
];

/** `GET /v1/pets` → the function that answers it. */
function routesOf(template: Template): Record<string, string> {
  const resources = template.findResources('AWS::ApiGateway::Resource');
  const pathOf = (reference: Record<string, unknown>): string => {
    if (reference['Fn::GetAtt']) return '';
    const { ParentId, PathPart } = resources[String(reference.Ref)]?.Properties ?? {};
    return `${pathOf(ParentId)}/${PathPart}`;
  };
  const methods = propertiesOf(template, 'AWS::ApiGateway::Method').map(
    ({ HttpMethod, ResourceId, Integration }) => {
      const uri = JSON.stringify((Integration as Properties).Uri);
      const [target = ''] = /(listPets|createPet|getPet|fallback)/.exec(uri) ?? [];
      return [`${HttpMethod} ${pathOf(ResourceId as Properties) || '/'}`, target];
    },
  );
  return Object.fromEntries(methods);
}
