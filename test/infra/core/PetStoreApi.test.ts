import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  ItemPathError,
  permanentItemPaths,
  retiredMethods,
} from '../../../infra/core/apiMethods.ts';
import { stackName } from '../../../infra/core/stackNames.ts';
import { operationEntries } from '../../../lib/operations.ts';
import { ErrorBody } from '../../../lib/schemas.ts';
import { bareStage, durableName } from '../../helpers/bareStage.ts';
import {
  functionNames,
  propertiesOf,
  resourcesOf,
  shortId,
  synthesise,
  production as template,
  templateOf,
} from '../../helpers/templates.ts';

const [apiStage = {}] = propertiesOf(template, 'AWS::ApiGateway::Stage');
const methods = methodsOf(template);

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

describe('infra/core/apiMethods.ts', () => {
  it.each(operationEntries)(
    'with %s in retiredMethods, keeps its methods and their paths for the fallback after its removal',
    (name, row) => {
      change(
        operationEntries,
        operationEntries.filter(([each]) => each !== name),
      );
      change(retiredMethods, [...retiredMethods, row]);

      const left = methodsOf(synthesiseProduction());

      const namesOf = (all: typeof methods) => all.map((each) => `${each.method} ${each.path}`);
      expect(namesOf(left).sort()).toEqual(namesOf(methods).sort());
      expect(functionFor(row.method, exampleOf(row.path), left)).toBe('fallback');
    },
  );

  it('keeps the fallback of a path whose last operation is in retiredMethods', () => {
    change(retiredMethods, [{ method: 'GET', path: '/pets/{petId}/status' }]);

    const left = methodsOf(synthesiseProduction());

    expect(functionFor('LINK', '/v1/pets/1/status', left)).toBe('fallback');
    expect(functionFor('LINK', '/v1/pets/1/status/none', left)).toBe('fallback');
  });

  it.each([
    [[], /add \/pets\/\{id\} to permanentItemPaths for \w+/],
    [
      ['/pets/{id}'],
      /add \/pets\/\{petId\} to permanentItemPaths for \w+, or use a parameter's name there: \/pets\/\{id\}/,
    ],
  ])(
    'with permanentItemPaths %j, refuses an item path that could not change later',
    (paths, message) => {
      change(permanentItemPaths, paths);

      expect(synthesiseProduction).toThrow(message);
      // The CDK prints only the message of this class.
      expect(synthesiseProduction).toThrow(ItemPathError);
    },
  );
});

/** Gives a list other members until the test ends. */
function change<Member>(list: Member[], members: Member[]): void {
  const before = list.splice(0, Infinity, ...members);
  onTestFinished(() => void list.splice(0, Infinity, ...before));
}

function synthesiseProduction(): Template {
  return templateOf(synthesise([bareStage(durableName)]), stackName(durableName));
}

function methodsOf(template: Template) {
  return propertiesOf(template, 'AWS::ApiGateway::Method').map(
    ({ HttpMethod: method, ResourceId, Integration: integration }) => ({
      method,
      path: pathOf(ResourceId, template),
      integration,
    }),
  );
}

/**
 * Returns the function whose alias API Gateway calls.
 *
 * API Gateway prefers literal segments to parameters, and a method to `ANY`. Sorted paths have the same order,
 * because `{` sorts after all letters.
 */
function functionFor(method: string, path: string, all = methods): string | undefined {
  const [resource] = all
    .map((each) => each.path)
    .filter((each) => {
      const pattern = each.replace('{proxy+}', '.+').replaceAll(/\{\w+\}/g, '[^/]+');
      return new RegExp(`^${pattern}$`).test(path);
    })
    .sort();
  const ofResource = all.filter((each) => each.path === resource);
  const called = [method, 'ANY'].flatMap((name) =>
    ofResource.filter((each) => each.method === name),
  );
  return /<(\w+)Alias>\/invocations$/.exec(called[0]?.integration.Uri)?.[1];
}

/** The path of a resource by its reference. The root is empty. */
function pathOf(reference: string, template: Template): string {
  const [, resource] =
    resourcesOf(template, 'AWS::ApiGateway::Resource').find(
      ([id]) => `<${shortId(id)}>` === reference,
    ) ?? [];
  if (!resource) return '';
  const { ParentId, PathPart } = resource.Properties;
  return `${pathOf(ParentId, template)}/${PathPart}`;
}
