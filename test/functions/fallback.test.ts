import { describe, expect, it } from 'vitest';
import { handler as fallback } from '../../functions/fallback.ts';
import { call } from '../helpers/api.ts';

// Paths below the base address are in test/contract. Here: paths outside of it.

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
});
