import { describe, expect, it } from 'vitest';
import { corsHeaders, preflightHeaders } from '../../lib/cors.ts';
import openApiDocument from '../../openapi.json' with { type: 'json' };
import { loadHandler, restEvent } from '../helpers/api.ts';

const allowed = ['https://app.example.com', 'https://admin.example.com'];

const tracing = ['traceparent', 'tracestate', 'baggage', 'X-Request-Id'];

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
  it('let pages send each method and header of the OpenAPI document, and a key', () => {
    const rows = Object.values(openApiDocument.paths).flatMap((path) => Object.entries(path));
    const parameters = rows.flatMap(([, row]) => row.parameters as { in: string; name: string }[]);
    const headers = parameters.flatMap(({ in: place, name }) => (place === 'header' ? name : []));
    const { 'Access-Control-Allow-Methods': methods, 'Access-Control-Allow-Headers': sent } =
      preflightHeaders();

    expect(headers).not.toEqual([]);
    expect(namesIn(sent)).toEqual(
      [...new Set(['Authorization', 'Content-Type', ...headers, ...tracing])].toSorted(),
    );
    expect(namesIn(methods)).toEqual(
      [...new Set(['HEAD', ...rows.map(([method]) => method.toUpperCase())])].toSorted(),
    );
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
