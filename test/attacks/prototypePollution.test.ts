import { describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { apiKey, call } from '../helpers/api.ts';
import { serveFunctions } from '../helpers/gateway.ts';

const gateway = serveFunctions();

// test/contract shows that these bodies get 400. Here: no object of the process has changed.

describe('prototype pollution', () => {
  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'by parameters and headers named %s changes no object',
    async (name) => {
      const response = await fetch(
        `${gateway.origin}/v1/pets?${name}=evil&${name}=evil&${name}[status]=sold`,
        { headers: { authorization: `Bearer ${apiKey}`, [`x-${name}`]: 'evil', [name]: 'evil' } },
      );

      expect(response.status).toBe(200);
      expect(String({})).toBe('[object Object]');
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );

  it('by the members of a body changes no object', async () => {
    await call(createPet, { body: '{"name":"Rex","__proto__":{"status":"sold"}}' });
    await call(createPet, { body: '{"x":{"constructor":{"prototype":{"status":"sold"}}}}' });

    expect({}).not.toHaveProperty('status');
  });
});
