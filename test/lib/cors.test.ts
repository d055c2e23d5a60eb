import { describe, expect, it } from 'vitest';
import { corsHeaders } from '../../lib/cors.ts';
import { loadHandler, restEvent } from '../helpers/api.ts';

const allowed = ['https://app.example.com', 'https://admin.example.com'];

describe('corsHeaders', () => {
  it.each(allowed)('let a page of %s read the response and its headers', (origin) => {
    expect(corsHeaders(origin, allowed)).toEqual({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers':
        'Deprecation, Link, Location, Retry-After, Sunset, X-Request-Id',
      Vary: 'Origin',
    });
  });

  it.each([
    undefined,
    '',
    'null',
    'https://app.example.com.attacker.example',
    'http://app.example.com',
  ])('allow nothing to the origin %s', (origin) => {
    expect(corsHeaders(origin, allowed)).toEqual({ Vary: 'Origin' });
  });

  it('are part of each response if the stage has origins, and of none if it has not', async () => {
    const [Origin = ''] = allowed;
    const event = restEvent({ headers: { Origin, Authorization: '' } });

    const closed = await (await loadHandler('listPets', {}))(event, {});
    const open = await (await loadHandler('listPets', { CORS_ORIGINS: Origin }))(event, {});

    expect(open.headers).toMatchObject({ 'Access-Control-Allow-Origin': Origin, Vary: 'Origin' });
    expect(Object.keys(closed.headers).join()).not.toMatch(/Access-Control|Vary/);
  });
});
