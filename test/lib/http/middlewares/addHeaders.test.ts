import { expect, it } from 'vitest';
import { requestHandler } from '../../../../lib/http/handler.ts';
import { apiKey } from '../../../helpers/api.ts';

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
