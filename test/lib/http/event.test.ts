import { describe, expect, it } from 'vitest';
import { handler as createPet } from '../../../functions/createPet.ts';
import { handler as getPet } from '../../../functions/getPet.ts';
import { handler as listPets } from '../../../functions/listPets.ts';
import type { RawEvent } from '../../../lib/http/event.ts';
import { requestHandler } from '../../../lib/http/handler.ts';
import { apiKey } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import { petText } from '../../helpers/samplePets.ts';

describe('an event', () => {
  const authorization = `Bearer ${apiKey}`;

  it.each<[string, RawEvent | null | undefined]>([
    ['undefined', undefined],
    ['null', null],
    ['nothing', {}],
    [
      'null maps',
      { headers: null, multiValueHeaders: null, queryStringParameters: null, body: null },
    ],
    ['null values', { headers: { accept: null }, queryStringParameters: { limit: null } }],
  ])('responds 401 to an event of %s', async (_case, event) => {
    for (const handler of [listPets, createPet, getPet]) {
      expect((await handler(event as RawEvent)).statusCode).toBe(401);
    }
  });

  it.each<[string, object | null, number]>([
    ['null', null, 200],
    ['a time that is almost over', { getRemainingTimeInMillis: () => 100 }, 503],
    ['endless time', { getRemainingTimeInMillis: () => Number.POSITIVE_INFINITY }, 200],
  ])('responds to a request with a context of %s', async (_case, context, status) => {
    captureLog();

    const { statusCode } = await listPets({ headers: { authorization } }, context as object);

    expect(statusCode).toBe(status);
  });

  it('serves an event written by hand: headers, a body, parameters', async () => {
    const headers = { authorization };

    const created = await createPet({ headers, body: petText() });
    const { id } = JSON.parse(created.body);
    const read = await getPet({ headers, pathParameters: { petId: String(id) } });
    const listed = await listPets({ headers, queryStringParameters: { limit: '1' } });

    expect(created.statusCode).toBe(201);
    expect(created.headers.Location).toBe(`/v1/pets/${id}`);
    expect(created.headers['X-Request-Id']).toMatch(/^[\da-f-]{36}$/);
    expect(read.body).toBe(created.body);
    expect(JSON.parse(listed.body)).toHaveLength(1);
    expect((await getPet({ headers })).statusCode).toBe(404);
    expect((await createPet({ headers })).statusCode).toBe(400);
  });

  it('with an object as body gets 400, whose message says that the body must be a text', async () => {
    const event = { headers: { authorization }, body: { name: 'Rex', categoryId: 7 } };

    const { statusCode, body } = await createPet(event as unknown as RawEvent);

    expect(statusCode).toBe(400);
    expect(JSON.parse(body).message).toBe(
      'The body of the event must be a text: its JSON as a string.',
    );
  });

  it('may have values that are null instead of missing', async () => {
    const headers = { authorization, 'content-type': null, 'idempotency-key': null };

    const created = await createPet({ headers, body: petText() });
    const listed = await listPets({
      headers,
      queryStringParameters: { limit: '1', status: null },
      multiValueHeaders: { Authorization: null, authorization: [] },
      multiValueQueryStringParameters: { limit: [null, '1'], status: [], cursor: null },
    });

    expect(created.statusCode).toBe(201);
    expect([listed.statusCode, JSON.parse(listed.body).length]).toEqual([200, 1]);
  });

  it('may have numbers instead of texts in its parameters', async () => {
    const headers = { authorization };
    const numbers = (values: object) => values as Record<string, string>;
    const created = await createPet({ headers, body: petText() });
    const { id } = JSON.parse(created.body);

    const read = await getPet({ headers, pathParameters: numbers({ petId: id }) });
    const listed = await listPets({ headers, queryStringParameters: numbers({ limit: 1 }) });

    expect(read).toMatchObject({ statusCode: 200, body: created.body });
    expect([listed.statusCode, JSON.parse(listed.body).length]).toEqual([200, 1]);
  });

  it('rejects with the error of a context whose time is not implemented', async () => {
    const getRemainingTimeInMillis = () => {
      throw new Error('Function not implemented.');
    };

    const response = listPets({ headers: { authorization } }, { getRemainingTimeInMillis });

    await expect(response).rejects.toThrow('Function not implemented.');
  });

  it('distinguishes a parameter sent twice from one with a comma, for every name', async () => {
    const echo = requestHandler('listPets', { input: {} }, async ({ query }) => ({
      statusCode: 200,
      headers: {},
      body: JSON.stringify(query),
    }));

    const { body } = await echo({
      headers: { authorization },
      queryStringParameters: { tag: 'b', size: 'c,d', constructor: 'e' },
      multiValueQueryStringParameters: { tag: ['a', 'b'], size: ['c,d'] },
    });

    expect(JSON.parse(body)).toEqual({ tag: ['a', 'b'], size: 'c,d', constructor: 'e' });
  });
});
