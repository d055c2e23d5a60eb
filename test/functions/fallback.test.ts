import { describe, expect, it } from 'vitest';
import { handler as fallback } from '../../functions/fallback.ts';
import { basePath, operationEntries } from '../../lib/operations.ts';
import { call } from '../helpers/api.ts';

// Paths below the base address are in test/contract. Here: paths outside of it.

const known = operationEntries.map(([, { method, path }]) => `${method} ${basePath}${path}`);

describe('fallback', () => {
  it.each(['/', '/v1', '/pets', '/v2/pets', '/v1/pets/', '//v1/pets', '/x/v1/pets'])(
    'responds 404 for %s with the paths of the interface',
    async (path) => {
      const { status, json } = await call(fallback, { event: { path } });

      expect(status).toBe(404);
      expect(json).toEqual({
        code: 'not_found',
        message: `There is no such path. Use ${known.join(', ')}.`,
        status: 404,
      });
    },
  );
});
