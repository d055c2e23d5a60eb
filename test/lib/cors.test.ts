import { describe, expect, it } from 'vitest';
import { corsHeaders, preflightHeaders } from '../../lib/cors.ts';
import openApiDocument from '../../openapi.json' with { type: 'json' };
import { loadHandler, restEvent } from '../helpers/api.ts';

const allowed = ['https://app.example.com', 'https://admin.example.com'];

/** A page needs none of these. */
const notExposed = ['Cache-Control', 'X-Content-Type-Options', 'WWW-Authenticate'];

/** The response headers of the OpenAPI document. */
const described: string[] = [];
JSON.stringify(openApiDocument, (key, value) => {
  if (key === 'headers') described.push(...Object.keys(value));
  return value;
});

const namesIn = (text = '') => text.split(', ').toSorted();

describe('preflightHeaders', () => {
  it('let pages send each method of the OpenAPI document, a key, and every other header', () => {
    const methods = Object.values(openApiDocument.paths).flatMap(Object.keys);
    const { 'Access-Control-Allow-Methods': allowed, 'Access-Control-Allow-Headers': headers } =
      preflightHeaders();

    expect(namesIn(allowed)).toEqual(
      [...new Set(['HEAD', ...methods.map((method) => method.toUpperCase())])].toSorted(),
    );
    // The Fetch standard: `*` does not cover Authorization.
    expect(namesIn(headers)).toEqual(['*', 'Authorization']);
  });
});

describe('corsHeaders', () => {
  it.each(allowed)('let a page of %s read the response and its headers', (origin) => {
    const { 'Access-Control-Expose-Headers': exposed, ...others } = corsHeaders(origin, allowed);

    expect(others).toEqual({ 'Access-Control-Allow-Origin': origin, Vary: 'Origin' });
    expect(namesIn(exposed)).toEqual(
      [...new Set(described)].filter((name) => !notExposed.includes(name)).toSorted(),
    );
  });

  it.each([undefined, 'https://app.example.com.attacker.example', 'http://app.example.com'])(
    'allow nothing to the origin %s',
    (origin) => {
      expect(corsHeaders(origin, allowed)).toEqual({ Vary: 'Origin' });
    },
  );

  it('are in every response of a stage with origins, and in none of another stage', async () => {
    const [, Origin = ''] = allowed;
    const event = restEvent('listPets', { headers: { Origin, Authorization: '' } });

    const closed = await (await loadHandler('listPets', {}))(event);
    const open = await (await loadHandler('listPets', { CORS_ORIGINS: allowed.join(' ') }))(event);

    expect(open.headers).toMatchObject({ 'Access-Control-Allow-Origin': Origin, Vary: 'Origin' });
    expect(Object.keys(closed.headers).join()).not.toMatch(/Access-Control|Vary/);
  });
});
