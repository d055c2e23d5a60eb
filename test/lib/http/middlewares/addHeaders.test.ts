import { expect, it, vi } from 'vitest';
import { requestHandler } from '../../../../lib/http/handler.ts';
import { apiKey } from '../../../helpers/api.ts';
import { storeItem } from '../../../helpers/database.ts';
import { storedPet } from '../../../helpers/samplePets.ts';

const deprecation = { since: '2026-11-20', sunset: '2030-12-05', successorPath: '/pets' };

it.each([
  [200, apiKey],
  [401, 'wrong'],
])(
  'a %i of a deprecated operation announces its removal and its replacement',
  async (status, key) => {
    const handler = requestHandler('listPets', { input: {}, deprecation }, async () => ({
      statusCode: 200,
      headers: {},
      body: '[]',
    }));

    const { statusCode, headers } = await handler({ headers: { Authorization: `Bearer ${key}` } });

    expect(statusCode).toBe(status);
    expect(headers).toMatchObject({
      Deprecation: '@1795132800',
      Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      Link: '</v1/pets>; rel="successor-version"',
    });
  },
);

it('a deprecated list still links to its next page', async () => {
  vi.resetModules();
  const { operations } = await import('../../../../lib/operations.ts');
  Object.assign(operations.listPets, { deprecation });
  const { handler } = await import('../../../../functions/listPets.ts');
  const list = (queryStringParameters: Record<string, string>) =>
    handler({ headers: { Authorization: `Bearer ${apiKey}` }, queryStringParameters });
  for (const id of [1n, 2n]) await storeItem(storedPet(id));

  const first = await list({ limit: '1' });
  const [, query] =
    /^<[^>]+\?([^>]+)>; rel="next", <[^>]+>; rel="successor-version"$/.exec(
      first.headers.Link ?? '',
    ) ?? expect.fail(first.headers.Link);
  const second = await list(Object.fromEntries(new URLSearchParams(query)));

  const ids = [first, second].flatMap(({ body }) => JSON.parse(body)).map(({ id }) => id);
  expect(ids).toEqual([1, 2]);
});
