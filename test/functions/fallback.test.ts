import { describe, expect, it } from 'vitest';
import { handler as fallback } from '../../functions/fallback.ts';
import { call } from '../helpers/api.ts';

// Paths below the base address are in test/contract. Here: paths outside of it, and events of an HTTP
// API.

describe('fallback', () => {
  it.each(['/', '/v1', '/pets', '/v2/pets', '/v1/pets/', '//v1/pets', '/x/v1/pets'])(
    'responds 404 for %s with the paths of the interface',
    async (path) => {
      const { status, json } = await call(fallback, { event: { path } });

      expect(status).toBe(404);
      expect(json).toEqual({
        code: 'not_found',
        message: expect.stringMatching(
          /^There is no such path. Use GET \/v1\/pets, POST \/v1\/pets, .+\.$/,
        ),
        status: 404,
      });
    },
  );

  it.each([
    ['behind its stage', 'v1-staging', '/v1-staging/v1/pets'],
    ['of the default stage', '$default', '/v1/pets'],
    ['without a stage', undefined, '/v1/pets'],
  ])('finds the path of an HTTP API event %s', async (_case, stage, rawPath) => {
    const event = { path: null, rawPath, requestContext: { requestId: 'request-1', stage } };

    const { headers } = await call(fallback, { event });

    expect(headers.Allow).toBe('GET, POST');
  });
});
