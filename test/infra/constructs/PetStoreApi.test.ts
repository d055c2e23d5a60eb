import type { Template } from 'aws-cdk-lib/assertions';
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

  it('limits each method, and all methods together to the figure of the stage', () => {
    const [apiStage = {}] = propertiesOf(template, 'AWS::ApiGateway::Stage');
    const settings = apiStage.MethodSettings as Record<string, string | number>[];
    const limits = new Map<string, Record<string, string | number>>(
      settings.map((each) => [`${each.HttpMethod} ${each.ResourcePath}`, each]),
    );
    const methods = Object.keys(routesOf(template));

    const limitOf = (method: string) => {
      const [verb, path = ''] = method.split(' ');
      const key = `${verb} /${path.replaceAll('/', '~1')}`;
      return limits.get(key) ?? limits.get('* /*') ?? {};
    };
    const { requestsPerSecond, burstRequests } = stage.throttle;
    const total = (name: string) =>
      methods.reduce((sum, method) => sum + Number(limitOf(method)[name]), 0);
    for (const [figure, sum] of [
      [requestsPerSecond, total('ThrottlingRateLimit')],
      [burstRequests, total('ThrottlingBurstLimit')],
    ] as const) {
      expect(sum).toBeLessThanOrEqual(figure);
      // Shares are rounded down.
      expect(sum).toBeGreaterThan(figure - methods.length);
    }
    for (const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } of settings) {
      expect(rate).toBeGreaterThan(0);
      expect(burst).toBeGreaterThan(0);
    }
    // Nothing is set for a path that does not exist.
    expect(limits.size).toBe(1 + operationEntries.length);
    expect(methods.filter((each) => limitOf(each) !== limits.get('* /*'))).toHaveLength(
      operationEntries.length,
    );
  });

  it('compresses responses from the size of the stage on', () => {
    const [api] = propertiesOf(template, 'AWS::ApiGateway::RestApi');

    expect(api?.MinimumCompressionSize).toBe(stage.minimumCompressionBytes);
    // A media type listed as binary would reach the functions, and the clients, in another form.
    expect(api).not.toHaveProperty('BinaryMediaTypes');
  });

  it('traces requests, and logs each as JSON', () => {
    const [apiStage = {}] = propertiesOf(template, 'AWS::ApiGateway::Stage');
    const { DestinationArn, Format } = apiStage.AccessLogSetting as Properties;

    expect(apiStage.TracingEnabled).toBe(true);
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

  it('has the Error body and the common headers in all 21 gateway responses', () => {
    const responses = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse');

    expect(gatewayResponseTypes).toHaveLength(21);
    expect(responses.map((each) => each.ResponseType).sort()).toEqual(gatewayResponseTypes);
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
});

const gatewayResponseTypes = Object.values(ResponseType)
  .flatMap((each) => (each instanceof ResponseType ? [each.responseType] : []))
  .sort();

const accessLogFields = [
  'requestId',
  'functionRequestId',
  'traceId',
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
