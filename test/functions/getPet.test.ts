import { describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { apiKey, call } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { storeItem } from '../helpers/database.ts';
import { permissionsOf } from '../helpers/permissions.ts';

const announcement = {
  Deprecation: '@1795132800',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '<https://abc123.execute-api.eu-west-1.amazonaws.com/v1-staging/v1/pets>; rel="successor-version"',
};

describe('getPet', () => {
  it('answers 200 with the pet that was created', async () => {
    const created = await call(createPet, { body: { name: 'Rex', categoryId: 7, status: 'sold' } });

    const read = await call(getPet, { petId: String(created.json.id) });

    expect(read.status).toBe(200);
    expect(read.json).toEqual({ id: created.json.id, name: 'Rex', categoryId: 7, status: 'sold' });
    expect(read.headers).toMatchObject({ 'Content-Type': 'application/json', ...announcement });
  });

  it('answers 404 for an id that no pet has', async () => {
    const { status, json, headers } = await call(getPet, { petId: '9223372036854775807' });

    expect(status).toBe(404);
    expect(json).toEqual({
      code: 'not_found',
      message: 'There is no pet with this id.',
      status: 404,
    });
    expect(headers).toMatchObject(announcement);
  });

  it.each([
    ['0'],
    ['-1'],
    ['01'],
    ['+1'],
    ['1.0'],
    ['1e0'],
    [' 1'],
    ['1\n'],
    ['0x1'],
    ['١'],
    ['abc'],
    ['COUNTER'],
    ['__proto__'],
    ['9223372036854775808'],
    ['1'.repeat(5000)],
  ])('answers 404 for %j, which can name no pet', async (petId) => {
    await call(createPet, { body: { name: 'The first', categoryId: 1 } });

    const { status, json } = await call(getPet, { petId });

    expect(status).toBe(404);
    expect(json.message).toBe('There is no pet with this id.');
  });

  it('announces its end on an answer of 401 too', async () => {
    const { status, headers } = await call(getPet, { petId: '1', headers: { Authorization: '' } });

    expect(status).toBe(401);
    expect(headers).toMatchObject(announcement);
  });

  it('answers 500 and logs the cause for a damaged pet, which is there after all', async () => {
    const log = captureLog();
    await storeItem({ pk: 'PET#424242', id: 424242n, name: 'No category', status: 'sold' });

    const { status, json } = await call(getPet, { petId: '424242' });

    expect(status).toBe(500);
    expect(json).toMatchObject({ code: 'internal_error', status: 500 });
    const logged = log.text();
    expect(logged).toContain('categoryId');
    expect(logged).not.toContain(apiKey);
  });

  it('only reads pets by id', () => {
    expect(permissionsOf('getPet')).toEqual(['GetItem pets PET#*']);
  });
});
