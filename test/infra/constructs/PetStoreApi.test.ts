import { Match, type Template } from 'aws-cdk-lib/assertions';
import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, it } from 'vitest';
import { errorStatuses } from '../../../lib/errors.ts';
import { operationEntries } from '../../../lib/operations.ts';
import { ErrorBody } from '../../../lib/schemas.ts';
import {
  functionNames,
  type Properties,
  propertiesOf,
  resourcesOf,
  templates,
  textOf,
} from '../../helpers/templates.ts';

describe.each(templates)('PetStoreApi of $stage.name', ({ stage, template }) => {
  it('routes each operation to its function, and all other requests to the fallback', () => {
    const operationRoutes = operationEntries.map(([name, { method, path }]) => [
      `${method} /v1${path}`,
      name,
    ]);
    const fallbackRoutes = pathsOf(template).map((path) => [`ANY ${path || '/'}`, 'fallback']);

    expect(routesOf(template)).toEqual(Object.fromEntries([...operationRoutes, ...fallbackRoutes]));
  });

  it('has a path parameter below every path, so that no path misses the fallback', () => {
    const paths = pathsOf(template);

    const withoutChild = paths.filter(
      (path) => !path.endsWith('/{proxy+}') && !paths.some((child) => isParameterOf(path, child)),
    );
    expect(paths).toEqual(expect.arrayContaining(['', '/v1/pets/{petId}/{proxy+}']));
    expect(withoutChild).toEqual([]);
  });

  it('calls each function by its alias, which only this API may invoke', () => {
    const targets = propertiesOf(template, 'AWS::ApiGateway::Method').map(({ Integration }) =>
      textOf((Integration as Properties).Uri),
    );
    const permissions = propertiesOf(template, 'AWS::Lambda::Permission').filter(
      ({ FunctionName }) => !textOf(FunctionName).startsWith('<Heartbeat'),
    );

    for (const target of targets) expect(target).toMatch(/functions\/<\w+Alias>\/invocations$/);
    expect(permissions.map(({ FunctionName }) => textOf(FunctionName))).toEqual(
      functionNames.map((name) => `<${name}Alias>`),
    );
    for (const { Principal, SourceArn } of permissions) {
      expect(Principal).toBe('apigateway.amazonaws.com');
      expect(textOf(SourceArn)).toMatch(/:<Api>\/\*\/\*\/\*$/);
    }
  });

  it('limits each operation to the rate of the stage, and every other method to a tenth', () => {
    const { requestsPerSecond: rate, burstRequests: burst } = stage.operationThrottle;
    const [apiStage = {}] = propertiesOf(template, 'AWS::ApiGateway::Stage');
    const settings = (apiStage.MethodSettings as Properties[]).map((each) => [
      `${each.HttpMethod} ${String(each.ResourcePath).replaceAll('~1', '/').replace('//', '/')}`,
      [each.ThrottlingRateLimit, each.ThrottlingBurstLimit],
    ]);

    expect(Object.fromEntries(settings)).toEqual({
      '* /*': [rate / 10, burst / 10],
      ...Object.fromEntries(
        operationEntries.map(([, { method, path }]) => [`${method} /v1${path}`, [rate, burst]]),
      ),
    });
  });

  it('compresses responses of 1,024 bytes and more', () => {
    const [api] = propertiesOf(template, 'AWS::ApiGateway::RestApi');

    expect(api?.MinimumCompressionSize).toBe(1024);
    // A media type listed as binary would reach the functions, and the clients, in another form.
    expect(api).not.toHaveProperty('BinaryMediaTypes');
  });

  it('logs each request as JSON', () => {
    const [apiStage = {}] = propertiesOf(template, 'AWS::ApiGateway::Stage');
    const { DestinationArn, Format } = apiStage.AccessLogSetting as Properties;

    expect(textOf(DestinationArn)).toMatch(/:log-group:<AccessLogs>$/);
    // Every value is quoted: the gateway writes a bare dash for a missing value.
    expect(JSON.parse(String(Format).replaceAll(/\$context\.[\w.]+/g, '-'))).toEqual(
      Object.fromEntries(accessLogFields.map((name) => [name, '-'])),
    );
  });

  it('logs no text that a client wrote, and no message that repeats it', () => {
    const [apiStage = {}] = propertiesOf(template, 'AWS::ApiGateway::Stage');
    const { Format } = apiStage.AccessLogSetting as Properties;
    const variables = String(Format).match(/\$context\.[\w.]+/g) ?? [];

    expect(variables).toHaveLength(accessLogFields.length);
    for (const variable of variables) {
      expect(variable).not.toMatch(
        /message|\.path$|header|query|userAgent|requestOverride|apiKey/i,
      );
    }
    // The execution log of the gateway would contain such text.
    for (const settings of apiStage.MethodSettings as Properties[]) {
      expect(settings).not.toHaveProperty('LoggingLevel');
      expect(settings.DataTraceEnabled).toBe(false);
    }
  });

  it('waits for a function longer than the function may run', () => {
    for (const { Integration } of propertiesOf(template, 'AWS::ApiGateway::Method')) {
      expect(Integration).toMatchObject({ Type: 'AWS_PROXY', TimeoutInMillis: 12_000 });
    }
  });

  it('has the Error body and the common headers in every gateway response', () => {
    const responses = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse');

    for (const { StatusCode, ResponseTemplates, ResponseParameters } of responses) {
      const { 'application/json': text, ...others } = ResponseTemplates as Record<string, string>;
      const error = ErrorBody.parse(JSON.parse(text ?? ''));
      expect(others).toEqual({});
      expect(String(error.status)).toBe(StatusCode);
      expect(errorStatuses[error.code]).toBe(error.status);
      // A gateway variable in a body could repeat what the client sent.
      expect(text).not.toContain('$');
      expect(ResponseParameters).toMatchObject({
        'gatewayresponse.header.Cache-Control': "'no-store'",
        'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
      });
    }
  });

  it('leaves to the default responses only what this API cannot send', () => {
    const all = Object.values(ResponseType).flatMap((each) =>
      each instanceof ResponseType ? [each.responseType] : [],
    );
    const own = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse').map(
      (each) => each.ResponseType,
    );

    expect(all.filter((type) => !own.includes(type)).sort()).toEqual(
      Object.keys(leftToDefaults).sort(),
    );
    for (const { AuthorizationType, ApiKeyRequired, RequestValidatorId } of propertiesOf(
      template,
      'AWS::ApiGateway::Method',
    )) {
      expect([AuthorizationType, ApiKeyRequired, RequestValidatorId]).toEqual([
        'NONE',
        undefined,
        undefined,
      ]);
    }
  });

  it('writes its access log by a role that outlives the stack', () => {
    template.hasResource('AWS::ApiGateway::Account', {
      DeletionPolicy: 'Retain',
      Properties: {
        CloudWatchRoleArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^ApiCloudWatchRole'), 'Arn'] },
      },
    });
    for (const [, { DependsOn }] of resourcesOf(template, 'AWS::ApiGateway::Stage')) {
      expect(DependsOn).toEqual([expect.stringMatching(/^ApiAccount/)]);
    }
  });
});

/** The gateway response types without a response of their own, and why the API does not send them. */
const leftToDefaults = {
  API_CONFIGURATION_ERROR: 'no mapping that could fail: same body as DEFAULT_5XX',
  AUTHORIZER_CONFIGURATION_ERROR: 'no authorizer',
  AUTHORIZER_FAILURE: 'no authorizer',
  BAD_REQUEST_BODY: 'no request validator',
  BAD_REQUEST_PARAMETERS: 'no request validator',
  EXPIRED_TOKEN: 'no signatures of AWS',
  INVALID_API_KEY: 'no usage plan',
  INVALID_SIGNATURE: 'no signatures of AWS',
  QUOTA_EXCEEDED: 'no usage plan',
  RESOURCE_NOT_FOUND: 'the fallback has every path',
  UNAUTHORIZED: 'no authorizer',
};

const accessLogFields = [
  'requestId',
  'functionRequestId',
  'sourceIp',
  'method',
  'resourcePath',
  'status',
  'latencyMs',
  'integrationLatencyMs',
  'responseBytes',
  'gatewayResponse',
];

/** `{ 'GET /v1/pets': 'listPets' }` */
function routesOf(template: Template): Record<string, string> {
  const methods = propertiesOf(template, 'AWS::ApiGateway::Method').map(
    ({ HttpMethod, ResourceId, Integration }) => {
      const uri = textOf((Integration as Properties).Uri);
      const [, target = ''] = /<(\w+)Alias>/.exec(uri) ?? [];
      return [`${HttpMethod} ${pathOf(template, ResourceId as Properties) || '/'}`, target];
    },
  );
  return Object.fromEntries(methods);
}

/** The path of every resource. The root is empty. */
function pathsOf(template: Template): string[] {
  const ids = resourcesOf(template, 'AWS::ApiGateway::Resource').map(([id]) => id);
  return ['', ...ids.map((id) => pathOf(template, { Ref: id }))];
}

function pathOf(template: Template, reference: Properties): string {
  if (reference['Fn::GetAtt']) return '';
  const resources = template.findResources('AWS::ApiGateway::Resource');
  const { ParentId, PathPart } = resources[String(reference.Ref)]?.Properties ?? {};
  return `${pathOf(template, ParentId)}/${PathPart}`;
}

function isParameterOf(parent: string, child: string): boolean {
  return child.startsWith(`${parent}/{`) && child.lastIndexOf('/') === parent.length;
}
