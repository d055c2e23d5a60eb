import { describe, expect, it } from 'vitest';
import { call, loadHandler, restEvent } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import { storeItem } from '../../helpers/database.ts';
import { rex, storedPet } from '../../helpers/samplePets.ts';

const line = '{"level":"ERROR","code":"request_failed","message":"forged"}';
const injections = [`\n${line}\n`, `\r\n${line}\r\n`, `\u2028${line}\u2028`, `\u001b[2K${line}`];

const createPet = await loadHandler('createPet', { LOG_LEVEL: 'INFO' });
const fallback = await loadHandler('fallback', { LOG_LEVEL: 'INFO' });
const listPets = await loadHandler('listPets', { LOG_LEVEL: 'INFO' });

describe('log injection', () => {
  it.each(injections)('by the name of a pet, %j, adds no line', async (injection) => {
    const log = captureLog();

    const { status } = await call(createPet, { body: { ...rex, name: injection } });

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
    await storeItem(
      storedPet(9n, { name: injection, status: injection, statusShard: `${rex.status}#0` }),
    );
    const log = captureLog();

    await call(listPets, { query: { status: rex.status } });

    expect(log.lines()).toMatchObject([{ code: 'pet_damaged' }, { code: 'request_handled' }]);
    expect(log.text()).not.toContain('forged');
  });
});
