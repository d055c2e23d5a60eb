import { describe, expect, it } from 'vitest';
import { printablePath } from '../../infra/local/jsonReport.ts';
import { call, loadHandler, restEvent } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { storeItem } from '../helpers/database.ts';

const line = '{"level":"ERROR","code":"request_failed","message":"forged"}';
const injections = [`\n${line}\n`, `\r\n${line}\r\n`, `\u2028${line}\u2028`, `\u001b[2K${line}`];

const createPet = await loadHandler('createPet', { LOG_LEVEL: 'INFO' });
const fallback = await loadHandler('fallback', { LOG_LEVEL: 'INFO' });
const listPets = await loadHandler('listPets', { LOG_LEVEL: 'INFO' });

describe('log injection', () => {
  it.each(injections)('by the name of a pet, %j, adds no line', async (injection) => {
    const log = captureLog();

    const { status } = await call(createPet, { body: { name: injection, categoryId: 1 } });

    expect(status).toBe(201);
    expect(log.lines()).toMatchObject([{ code: 'request_handled', status: 201 }]);
    expect(log.text()).not.toContain('forged');
  });

  it.each(injections)('by headers, path and parameters, %j, forges no line', async (injection) => {
    const log = captureLog();

    await fallback(
      restEvent({
        headers: { 'User-Agent': injection, 'X-Request-Id': injection, Referer: injection },
        query: { [injection]: injection },
        event: { path: `/v1/${injection}`, pathParameters: { proxy: injection } },
      }),
    );

    expect(log.lines()).toMatchObject([{ code: 'request_handled', status: 404 }]);
    expect(log.text()).not.toContain('forged');
  });

  it.each(injections)('by a stored pet that is damaged, %j, forges no line', async (injection) => {
    await storeItem({
      pk: 'PET#9',
      statusShard: 'sold#0',
      id: 9n,
      name: injection,
      categoryId: injection,
      status: 'sold',
    });
    const log = captureLog();

    await call(listPets, { query: { status: 'sold' } });

    expect(log.lines()).toMatchObject([{ code: 'pet_damaged' }, { code: 'request_handled' }]);
    expect(log.text()).not.toContain('forged');
  });

  it('by a path has no line break, no escape and no key in the log of npm start', () => {
    const path = printablePath(`/v1/\r\n\u001b[2Kforged/ps_v1_staging_${'A'.repeat(49)}`);

    expect(path).toBe('/v1/%0D%0A%1B[2Kforged/ps_***');
  });
});
