import { describe, expect, it } from 'vitest';
import { handler as fallback } from '../../functions/fallback.ts';
import { call } from '../helpers/api.ts';

// Paths below the base address are in test/contract. Here: paths outside of it.

describe('fallback', () => {
  it.each(['/', '/v1', '/pets', '/v2/pets', '/v1/pets/', '//v1/pets', '/x/v1/pets'])(
    'responds 404 for %s',
    async (path) => {
      expect((await call(fallback, { event: { path } })).status).toBe(404);
    },
  );
});
