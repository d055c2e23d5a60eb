import { describe, expect, it } from 'vitest';
import { serveDocs } from '../../docs/page/serveDocs.ts';
import openApiDocument from '../../openapi.json' with { type: 'json' };
import { apiKey } from '../helpers/api.ts';
import { functions, startGateway } from '../helpers/gateway.ts';

const { origin, baseAddress } = await startGateway(functions, { onRequest: serveDocs() });

const headers = { Authorization: `Bearer ${apiKey}` };

describe('serveDocs', () => {
  it('serves the page at /, with no caching and no framing, and with the document as data of a script', async () => {
    const response = await fetch(`${origin}/?a=1`);

    expect(response.status).toBe(200);
    expect(await response.text()).toContain('Authorization: Bearer \\u003cAPI_KEY>');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/),
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    });
  });

  it('serves the absolute address of this machine as the first server of openapi.json, before the deployments', async () => {
    const document = await (await fetch(`${origin}/openapi.json`)).json();

    const url = baseAddress.replace('127.0.0.1', 'localhost');
    expect(document).toMatchObject({ servers: [{ url }, ...openApiDocument.servers] });
  });

  it('lets the pages of an allowed origin read openapi.json', async () => {
    const headers = { Origin: 'http://a.test' };
    const options = { onRequest: serveDocs(), corsOrigins: [headers.Origin] };
    const gateway = await startGateway(functions, options);

    const response = await fetch(`${gateway.origin}/openapi.json`, { headers });

    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(headers.Origin);
  });

  it('redirects /docs to the page, also behind a proxy that strips a prefix of the path', async () => {
    const response = await fetch(`${origin}/docs`, { redirect: 'manual' });

    expect(response.status).toBe(302);
    expect(response.headers.get('Location')).toBe('./');
  });

  it.each([
    ['POST', '/', 404],
    ['POST', '/docs', 404],
    ['GET', '/docs/x', 404],
    ['GET', '/v1/pets', 200],
  ])('passes %s %s to the functions', async (method, path, status) => {
    const response = await fetch(`${origin}${path}`, { method, headers });

    expect(response.status).toBe(status);
    expect(response.headers.get('Content-Type')).toBe('application/json');
  });
});
