import { describe, expect, it } from 'vitest';
import { send } from './send.ts';
import { skipBehindGateway } from './serviceUnderTest.ts';
import { expectError } from './universalRules.ts';

describe('an unknown path', () => {
  it.for(['/store/orders', '/pets/1/2', '/pets/1/photos', '/nothing/here', '/__proto__', '/Pets'])(
    'responds 404: %s',
    async (path) => {
      const refused = await send('GET', path);

      expectError(refused, 'not_found', /GET \/v1\/pets, POST \/v1\/pets, GET \/v1\/pets\/{petId}/);
      expect(refused.headers.get('Allow')).toBeNull();
    },
  );

  it('responds 404: /pets/', async (context) => {
    skipBehindGateway(context, 'cut the slash at the end');

    expectError(await send('GET', '/pets/'), 'not_found');
  });
});

describe('a known path with another method', () => {
  it.for([
    ['DELETE', '/pets', 'GET, POST'],
    ['PATCH', '/pets', 'GET, POST'],
    ['OPTIONS', '/pets', 'GET, POST'],
    ['HEAD', '/pets', 'GET, POST'],
    ['PUT', '/pets/1', 'GET'],
    ['POST', '/pets/abc', 'GET'],
  ] as const)('responds 405 with Allow: %s %s', async ([method, path, allowed]) => {
    const refused = await send(method, path);

    expectError(
      refused,
      'method_not_allowed',
      new RegExp(`^Use ${allowed.replace(', ', ' or ')} on this path\\.$`),
    );
    expect(
      refused.headers
        .get('Allow')
        ?.split(/\s*,\s*/)
        .sort()
        .join(', '),
    ).toBe(allowed);
  });
});
