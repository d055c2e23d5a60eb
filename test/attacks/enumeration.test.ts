import { beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { config } from '../../lib/config.ts';
import { apiKey } from '../helpers/api.ts';
import { interceptDatabase } from '../helpers/database.ts';
import { serveFunctions } from '../helpers/gateway.ts';

const gateway = serveFunctions();

const methods = ['GET', 'POST', 'DELETE', 'OPTIONS', 'QUERY'];
const paths = [
  '/',
  '/v1',
  '/v1/pets',
  '/v1/pets?limit=0',
  '/v1/pets?cursor=x',
  '/v1/pets/1',
  '/v1/pets/2',
  '/v1/pets/none',
  '/v1/store/orders',
  '/v2/pets',
  '/.env',
];

/** The whole response, without the request id and the date. */
async function ask(method: string, path: string, authorization?: string): Promise<string> {
  const response = await fetch(`${gateway.origin}${path}`, {
    method,
    headers: { 'Content-Type': 'text/x', ...(authorization && { authorization }) },
    ...(!['GET', 'HEAD'].includes(method) && { body: '{' }),
  });
  const headers = Object.fromEntries(response.headers);
  return JSON.stringify({
    status: response.status,
    text: await response.text(),
    headers: { ...headers, date: '', 'x-request-id': '' },
  });
}

/** Whether getPet responds. It announces its deprecation, which is public, on every response. */
const isDeprecated = (method: string, path: string) =>
  method === 'GET' && /^\/v1\/pets\/[^/]+$/.test(path);

beforeAll(async () => {
  const response = await fetch(`${gateway.origin}/v1/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: '{"name":"Rex","categoryId":1}',
  });
  expect(response.headers.get('Location')).toMatch(/\/v1\/pets\/1$/);
});

describe('enumeration', () => {
  it.each([
    ['no key', undefined, 0],
    ['a guess', 'Bearer guess', 0],
    ['a key that was never issued', `Bearer ${createApiKey(config.stage)}`, 1],
  ])(
    'with %s gets the same 401 from every path and method',
    async (_case, authorization, reads) => {
      const actions = interceptDatabase(({ pass }) => pass());
      const requests = methods.flatMap((method) => paths.map((path) => ({ method, path })));

      const responses = await Promise.all(
        requests.map(async ({ method, path }) => ({
          isDeprecated: isDeprecated(method, path),
          text: await ask(method, path, authorization),
        })),
      );

      for (const group of [true, false]) {
        const texts = responses
          .filter((each) => each.isDeprecated === group)
          .map(({ text }) => text);
        expect(new Set(texts).size).toBe(1);
        expect(texts[0]).toContain('"status":401');
      }
      // A well-formed key has to be looked up. Nothing else is read.
      expect(actions).toEqual(Array(reads * requests.length).fill('GetItem'));
    },
  );
});
