import { describe, expect, it } from 'vitest';
import { operationEntries } from '../../../lib/operations.ts';
import { ErrorBody } from '../../../lib/schemas.ts';
import {
  functionNames,
  propertiesOf,
  resourcesOf,
  shortId,
  production as template,
} from '../../helpers/templates.ts';

const [apiStage = {}] = propertiesOf(template, 'AWS::ApiGateway::Stage');
const methods = propertiesOf(template, 'AWS::ApiGateway::Method').map((properties) => ({
  properties,
  path: pathOf(properties.ResourceId),
  integration: properties.Integration,
}));

const exampleOf = (path: string) => `/v1${path.replaceAll(/\{\w+\}/g, '1')}`;

describe('PetStoreApi', () => {
  it.each(operationEntries)('routes %s to its function', (name, { method, path }) => {
    expect(functionFor(method, exampleOf(path))).toBe(name);
  });

  it('routes all other methods and paths to the fallback', () => {
    const paths = operationEntries.flatMap(([, { path }]) => {
      const segments = exampleOf(path).split('/');
      return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
    });

    for (const path of paths.flatMap((each) => [each, `${each}/none`, `${each}/none/none`])) {
      expect([path, functionFor('LINK', path)]).toEqual([path, 'fallback']);
    }
  });

  it('logs no text that a client wrote, and no message that repeats it', () => {
    const variables = apiStage.AccessLogSetting.Format.match(/\$context\.[\w.]+/g) ?? [];

    expect(variables).not.toEqual([]);
    for (const variable of variables) {
      expect(variable).not.toMatch(
        /message|\.path$|header|query|userAgent|requestOverride|apiKey/i,
      );
    }
    // The execution log of the gateway would contain such text.
    for (const settings of apiStage.MethodSettings) {
      expect(settings).not.toHaveProperty('LoggingLevel');
      expect(settings.DataTraceEnabled).toBe(false);
    }
  });

  it('waits for a function longer than the function may run', () => {
    const timeoutsMs = resourcesOf(template, 'AWS::Lambda::Function')
      .filter(([id]) => functionNames.includes(shortId(id).replace('Function', '')))
      .map(([, { Properties }]) => Number(Properties.Timeout) * 1000);

    expect(timeoutsMs).toHaveLength(functionNames.length);
    for (const { integration } of methods) {
      expect(integration.TimeoutInMillis).toBeGreaterThan(Math.max(...timeoutsMs));
    }
  });

  it('has the Error body and the common headers in every gateway response', () => {
    const responses = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse');

    // These two cover all types without a response of their own.
    expect(responses.map(({ ResponseType }) => ResponseType)).toEqual(
      expect.arrayContaining(['DEFAULT_4XX', 'DEFAULT_5XX']),
    );
    for (const { StatusCode, ResponseTemplates, ResponseParameters } of responses) {
      const { 'application/json': text, ...others } = ResponseTemplates;
      const error = ErrorBody.parse(JSON.parse(text));
      expect(others).toEqual({});
      expect(String(error.status)).toBe(StatusCode);
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

/**
 * Returns the function whose alias API Gateway calls.
 *
 * API Gateway prefers literal segments to parameters, and a method to `ANY`. Sorted paths have the same order,
 * because `{` sorts after all letters.
 */
function functionFor(method: string, path: string): string | undefined {
  const [resource] = methods
    .map((each) => each.path)
    .filter((each) => {
      const pattern = each.replace('{proxy+}', '.+').replaceAll(/\{\w+\}/g, '[^/]+');
      return new RegExp(`^${pattern}$`).test(path);
    })
    .sort();
  const ofResource = methods.filter((each) => each.path === resource);
  const called = [method, 'ANY'].flatMap((name) =>
    ofResource.filter(({ properties }) => properties.HttpMethod === name),
  );
  return /<(\w+)Alias>\/invocations$/.exec(called[0]?.integration.Uri)?.[1];
}

/** The path of a resource by its reference. The root is empty. */
function pathOf(reference: string): string {
  const [, resource] =
    resourcesOf(template, 'AWS::ApiGateway::Resource').find(
      ([id]) => `<${shortId(id)}>` === reference,
    ) ?? [];
  return resource ? `${pathOf(resource.Properties.ParentId)}/${resource.Properties.PathPart}` : '';
}
