import { describe, expect, it } from 'vitest';
import { handler as getPet } from '../../functions/getPet.ts';
import { apiKey, call } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { storeItem } from '../helpers/database.ts';
import { permissionsOf } from '../helpers/permissions.ts';

describe('getPet', () => {
  it.each(['9223372036854775807', '1\n'])(
    'responds 404 for %j, and names its successor below the stage',
    async (petId) => {
      const { status, json, headers } = await call(getPet, { petId });

      expect(status).toBe(404);
      expect(json).toEqual({
        code: 'not_found',
        message: 'There is no pet with this id.',
        status: 404,
      });
      expect(headers.Link).toBe(
        '<https://abc123.execute-api.eu-west-1.amazonaws.com/v1-staging/v1/pets>; rel="successor-version"',
      );
    },
  );

  it('responds 500 for a damaged pet, which exists after all, and logs the cause', async () => {
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
