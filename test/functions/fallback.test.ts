import { describe, expect, it } from 'vitest';
import { handler as fallback } from '../../functions/fallback.ts';
import { call } from '../helpers/api.ts';

const at = (path: string, httpMethod: string, headers?: Record<string, string>) =>
  call(fallback, { event: { path, httpMethod }, ...(headers && { headers }) });

describe('fallback', () => {
  it.each([
    ['DELETE', '/v1/pets', 'GET, POST'],
    ['PATCH', '/v1/pets', 'GET, POST'],
    ['OPTIONS', '/v1/pets', 'GET, POST'],
    ['PUT', '/v1/pets/1', 'GET'],
    ['POST', '/v1/pets/abc', 'GET'],
  ])('answers 405 and Allow for %s %s', async (method, path, allowed) => {
    const { status, json, headers } = await at(path, method);

    expect(status).toBe(405);
    expect(json).toEqual({
      code: 'method_not_allowed',
      message: `The methods of this path are: ${allowed}.`,
      status: 405,
    });
    expect(headers.Allow).toBe(allowed);
  });

  it.each([
    ['/'],
    ['/v1'],
    ['/pets'],
    ['/v2/pets'],
    ['/v1/pets/'],
    ['/v1/pets/1/photos'],
    ['/v1/store/orders'],
    ['/v1/Pets'],
    ['//v1/pets'],
    ['/x/v1/pets'],
    ['/v1/__proto__'],
  ])('answers 404 for %s', async (path) => {
    const { status, json, headers } = await at(path, 'GET');

    expect(status).toBe(404);
    expect(json).toEqual({
      code: 'not_found',
      message:
        'There is no such path. The interface has GET /v1/pets, POST /v1/pets, GET /v1/pets/{petId}.',
      status: 404,
    });
    expect(headers).not.toHaveProperty('Allow');
  });

  it.each([
    ['/v1/pets', 'DELETE'],
    ['/v1/nowhere', 'GET'],
  ])('answers 401 before it says what is at %s', async (path, method) => {
    const { status, headers } = await at(path, method, { Authorization: 'Bearer guess' });

    expect(status).toBe(401);
    expect(headers).not.toHaveProperty('Allow');
  });

  it.each([
    ['behind its stage', 'v1-staging', '/v1-staging/v1/pets'],
    ['where its stage is the default one', '$default', '/v1/pets'],
    ['that names no stage', undefined, '/v1/pets'],
  ])('finds the path of an HTTP API event %s', async (_case, stage, rawPath) => {
    const event = { path: null, rawPath, requestContext: { requestId: 'request-1', stage } };

    const { headers } = await call(fallback, { event });

    expect(headers.Allow).toBe('GET, POST');
  });
});
