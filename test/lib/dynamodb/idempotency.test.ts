import { beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as createPet } from '../../../functions/createPet.ts';
import { agreeOnPlan, changeId } from '../../../lib/dynamodb/idempotency.ts';
import { call, restEvent } from '../../helpers/api.ts';
import { emptyStore } from '../../helpers/database.ts';
import { minimalPet, newKey, petNamed, rex } from '../../helpers/samplePets.ts';

const dayMs = 24 * 60 * 60 * 1000;

const create = (idempotencyKey: string, body: unknown = rex) =>
  call(createPet, { idempotencyKey, body });

beforeEach(emptyStore);

describe('addPet with an Idempotency-Key', () => {
  it('treats bodies as equal if they mean the same pet', async () => {
    const key = newKey();
    const first = await create(key, minimalPet);

    const reversed = Object.entries({ ...first.json, note: 'unknown' }).reverse();
    const second = await create(key, Object.fromEntries(reversed));

    expect(second.text).toBe(first.text);
  });

  it('returns the same pet for requests sent within 24 hours of the response and looked up later', async () => {
    const key = newKey();
    const startMs = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: startMs });
    const first = await create(key);

    // 10 s until the first response, 29 s until the lookup, and clocks that differ by 4 minutes.
    vi.setSystemTime(startMs + dayMs + (10 + 29 + 4 * 60) * 1000);
    expect((await create(key)).text).toBe(first.text);
    expect((await create(key, petNamed('Max'))).status).toBe(422);
  });

  it('forgets a key 5 minutes after the 24 hours, even if DynamoDB still has the record', async () => {
    const key = newKey();
    const startMs = Math.floor(Date.now() / 1000) * 1000 + 999;
    vi.useFakeTimers({ toFake: ['Date'], now: startMs });
    const first = await create(key);

    vi.setSystemTime(startMs + dayMs + 5 * 60_000);
    const later = await create(key, petNamed('Max'));
    expect(later.status).toBe(201);
    expect(later.json.id).not.toBe(first.json.id);
    expect((await create(key, petNamed('Max'))).text).toBe(later.text);
  });

  it.each(['a\tb', '\u007f'])('responds 400 for the key %j', async (key) => {
    const { status, json } = await create(key);

    expect(status).toBe(400);
    expect(json.message).toBe('idempotency-key must have 1 to 255 visible ASCII characters.');
  });

  it('responds 400 for two headers, and names a fault of the body too', async () => {
    const { json } = await call(createPet, { body: {} });
    const event = restEvent({ body: {} });
    event.multiValueHeaders = { ...event.multiValueHeaders, 'Idempotency-Key': ['a', 'b'] };

    const { statusCode, body } = await createPet(event);

    expect(statusCode).toBe(400);
    const message = `idempotency-key must be sent only once; ${json.message}`;
    expect(JSON.parse(body).message).toBe(message);
  });
});

describe('changeId', () => {
  it('leaves a record alone that replaced the one of its plan, even with the same id', async () => {
    const plan = { scopedKey: newKey(), fingerprint: 'any', resourceId: 1n, token: 'replacement' };
    await agreeOnPlan(plan);

    await changeId({ ...plan, token: 'expired' }, 2n);

    expect(await agreeOnPlan({ ...plan, token: 'later' })).toEqual(plan);
  });
});
