import { describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { apiKey, call } from '../helpers/api.ts';
import { storedItems } from '../helpers/database.ts';
import { serveFunctions } from '../helpers/gateway.ts';

const gateway = serveFunctions();

describe('prototype pollution', () => {
  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'by parameters and headers named %s reaches nothing',
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

  it.each([
    ['in an unknown member', '{"name":"Rex","categoryId":1,"x":{"__proto__":{"status":"sold"}}}'],
    ['in escapes', '{"name":"Rex","categoryId":1,"\\u005f_proto__":{"status":"sold"}}'],
    ['as the whole', '{"__proto__":{"name":"Rex","categoryId":1}}'],
    ['by a constructor', '{"name":"Rex","categoryId":1,"x":{"constructor":{"prototype":{"a":1}}}}'],
  ])('%s is answered 400 and stores nothing', async (_case, body) => {
    const before = await storedItems();

    const { status } = await call(createPet, { body });

    expect(status).toBe(400);
    expect({}).not.toHaveProperty('status');
    expect(await storedItems()).toEqual(before);
  });
});
