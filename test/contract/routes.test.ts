import { describe, expect, it } from 'vitest';
import openApiDocument from '../../openapi.json' with { type: 'json' };
import { expectError, send } from './send.ts';
import { skipBehindGateway } from './serviceUnderTest.ts';

/** As the message lists them: `GET /v1/pets`. */
const operations = Object.entries(openApiDocument.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} /v1${path}`),
);

describe('an unknown path', () => {
  it.for(['/store/orders', '/pets/1/2', '/pets/1/photos', '/nothing/here', '/__proto__', '/Pets'])(
    'responds 404: %s',
    async (path) => {
      const refused = await send('GET', path);

      expectError(refused, 'not_found', /^There is no such path\. Use .+\.$/);
      const [, listed = ''] = /Use (.+)\.$/.exec(refused.json.message) ?? [];
      expect(new Set(listed.split(', '))).toEqual(new Set(operations));
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
    const allowed = Object.keys(row).map((method) => method.toUpperCase());
    const paths = ['1', 'abc'].map((id) => template.replaceAll(/\{\w+\}/g, id));
    return [...new Set(paths)].flatMap((path) =>
      methods
        .filter((method) => !allowed.includes(method))
        .map((method) => [method, path, allowed] as const),
    );
  });

  it.for(requests)('responds 405 with Allow: %s %s', async ([method, path, allowed]) => {
    const refused = await send(method, path);

    expectError(refused, 'method_not_allowed', /^Use [A-Z]+( or [A-Z]+)* on this path\.$/);
    expect(methodsIn(refused.headers.get('Allow'))).toEqual(new Set(allowed));
    if (method !== 'HEAD') expect(methodsIn(refused.json.message)).toEqual(new Set(allowed));
  });
});

function methodsIn(text: unknown): Set<string> {
  return new Set(String(text).match(/\b[A-Z]{3,}\b/g));
}
