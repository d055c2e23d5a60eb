import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../../functions/createPet.ts';
import { call, restEvent } from '../../helpers/api.ts';
import { emptyStore } from '../../helpers/database.ts';
import { minimalPet, newKey, rex } from '../../helpers/samplePets.ts';

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
