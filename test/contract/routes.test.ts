import { describe, expect, it } from 'vitest';
import openApiDocument from '../../openapi.json' with { type: 'json' };
import { unknownPath } from './checkResponse.ts';
import { expectError, expectStatus, type Received, send } from './send.ts';
import { service, skipBehindGateway } from './serviceUnderTest.ts';

/** As the message lists them: `GET /v1/pets`. */
const operations = Object.entries(openApiDocument.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} /v1${path}`),
);

describe('an unknown path', () => {
  it.for([unknownPath, '/nothing', '/pets/1/2', '/pets/1/nothing', '/__proto__', '/Pets'])(
    'responds 404: %s',
    async (path) => {
      const refused = await send('GET', path);

      expectError(refused, 'not_found', /^There is no such path\. Use .+\.$/);
      const [, listed = ''] = /Use (.+)\.$/.exec(refused.json.message) ?? [];
      expect(new Set(listed.split(/, | or /))).toEqual(new Set(operations));
      expect(refused.headers.get('Allow')).toBeNull();
    },
  );

  it('responds 404: /pets/', async (context) => {
    skipBehindGateway(context, 'cut the slash at the end');

    expectError(await send('GET', '/pets/'), 'not_found');
  });
});

describe('a known path with another method', () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
  const requests = Object.entries(openApiDocument.paths).flatMap(([template, row]) => {
    const described = Object.keys(row).map((method) => method.toUpperCase());
    const allowed = described.includes('GET') ? [...described, 'HEAD'] : described;
    const paths = ['1', 'abc'].map((id) => template.replaceAll(/\{\w+\}/g, id));
    return [...new Set(paths)].flatMap((path) =>
      methods
        .filter((method) => !allowed.includes(method))
        .map((method) => ({ method, path, allowed })),
    );
  });
  const byMethod = Map.groupBy(requests, ({ method }) => method === 'OPTIONS');

  it.for(byMethod.get(false) ?? [])('responds 405 with Allow: $method $path', async (request) => {
    expectRefusal(await send(request.method, request.path), request.allowed);
  });

  it.for(byMethod.get(true) ?? [])(
    'responds 405 to OPTIONS, or 204 as a preflight that allows nothing to a strange origin: $path',
    async ({ method, path, allowed }) => {
      const headers = { Origin: 'https://stranger.test', 'Access-Control-Request-Method': 'GET' };

      const received = await send(method, path, { headers });

      // Only a stage with `corsOrigins` responds to preflights. `send` checks the headers.
      if (received.status !== 204) return expectRefusal(received, allowed);
      expect(received.headers.get('Access-Control-Allow-Origin')).toBeNull();
      const preflightMethods = methodsIn(received.headers.get('Access-Control-Allow-Methods'));
      expect([...preflightMethods]).toEqual(expect.arrayContaining(allowed));
    },
  );
});

describe('a preflight', () => {
  it.for(Object.keys(openApiDocument.paths))(
    'gets 204, and allows the origin of PETSTORE_CORS_ORIGIN: %s',
    async (template, context) => {
      const { corsOrigin = '' } = service;
      context.skip(corsOrigin === '', 'PETSTORE_CORS_ORIGIN names no origin');
      const headers = { Origin: corsOrigin, 'Access-Control-Request-Method': 'GET' };

      const allowed = await send('OPTIONS', template.replaceAll(/\{\w+\}/g, '1'), { headers });

      expectStatus(allowed, 204);
      expect(allowed.headers.get('Access-Control-Allow-Origin')).toBe(corsOrigin);
    },
  );
});

describe('HEAD', () => {
  const paths = Object.entries(openApiDocument.paths).flatMap(([template, row]) =>
    'get' in row ? [template.replaceAll(/\{\w+\}/g, '1')] : [],
  );

  it.for([...paths, '/pets?limit=0'])('gets the status and headers of GET: %s', async (path) => {
    const get = await send('GET', path);
    const head = await send('HEAD', path);

    expect(head.status).toBe(get.status);
    const headersOf = ({ headers }: Received) =>
      [...headers].filter(([name]) => !changing.test(name));
    expect(headersOf(head)).toEqual(headersOf(get));
  });
});

/** Of the body and of each response, and those that a gateway adds. */
const changing =
  /^(content-length|content-encoding|date|x-request-id|x-amz.*|connection|keep-alive|transfer-encoding)$/;

function expectRefusal(refused: Received, allowed: readonly string[]): void {
  expectError(refused, 'method_not_allowed', /^Use [A-Z]+(, [A-Z]+)*( or [A-Z]+)? on this path\.$/);
  expect(methodsIn(refused.headers.get('Allow'))).toEqual(new Set(allowed));
  if (refused.method !== 'HEAD') {
    expect(methodsIn(refused.json.message)).toEqual(new Set(allowed));
  }
}

function methodsIn(text: unknown): Set<string> {
  return new Set(String(text).match(/\b[A-Z]{3,}\b/g));
}
