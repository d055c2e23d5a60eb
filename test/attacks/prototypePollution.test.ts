import { describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { call } from '../helpers/api.ts';

// test/contract shows that these bodies get 400. Here: no object of the process has changed.

describe('prototype pollution', () => {
  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'by parameters and headers named %s changes no object',
    async (name) => {
      const { status } = await call(listPets, {
        query: Object.fromEntries([
          [name, ['evil', 'evil']],
          [`${name}[status]`, 'sold'],
        ]),
        headers: Object.fromEntries([
          [name, 'evil'],
          [`x-${name}`, 'evil'],
        ]),
      });

      expect(status).toBe(200);
      expect(String({})).toBe('[object Object]');
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );

  it('by the members of a body changes no object', async () => {
    await call(createPet, { body: '{"__proto__":{"polluted":true}}' });
    await call(createPet, { body: '{"x":{"constructor":{"prototype":{"polluted":true}}}}' });

    expect({}).not.toHaveProperty('polluted');
  });
});
