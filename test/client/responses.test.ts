import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PetStoreError } from '../../client/src/PetStoreError.ts';
import { connect, key, receivedRex, rejection, scriptedFetch } from '../helpers/petStoreClient.ts';
import { rexFilter } from '../helpers/samplePets.ts';

describe('a received pet', () => {
  it('may have values and members of a newer service, whose integers stay exact', async () => {
    const [filter = ''] = Object.keys(rexFilter);
    const pet = JSON.stringify({ ...receivedRex, [filter]: 'unknown' });
    const more =
      '"small":4,"fraction":1.5,"large":9007199254740993,"several":[-9223372036854775808]';
    const { fetch } = scriptedFetch(new Response(`[${pet.replace('{', `{${more},`)}]`));

    const { pets } = await connect({ fetch }).listPets();

    expect(pets).toMatchObject([
      {
        id: 1n,
        [filter]: 'unknown',
        small: 4n,
        fraction: 1.5,
        large: 9007199254740993n,
        several: [-9223372036854775808n],
      },
    ]);
  });
});

describe('a call', () => {
  const body = { code: 'too_many_pets', message: 'Enough.', status: 409 };

  it('rejects with the error of the service, even if this version does not know its code', async () => {
    const headers = { 'X-Request-Id': 'refused' };
    const { fetch } = scriptedFetch(Response.json(body, { status: 409, headers }));

    const error = await rejection(connect({ fetch }).listPets());

    expect(error).toBeInstanceOf(PetStoreError);
    expect(error).toMatchObject({ name: 'PetStoreError', ...body, requestId: 'refused' });
  });

  const longId = JSON.stringify(receivedRex).replace('"id":1', `"id":${'1'.repeat(20)}`);

  it.each([
    ['malformed JSON', new Response(`[{"Bearer ${key}`)],
    ['a success of another status', Response.json([receivedRex], { status: 203 })],
    ['an error without a code', Response.json({ ...body, code: undefined }, { status: 409 })],
    ['an error without a message', Response.json({ ...body, message: undefined }, { status: 409 })],
    ['an error of another status', Response.json(body, { status: 404 })],
    ['a pet with an id beyond int64', new Response(`[${longId}]`)],
    ...Object.keys(receivedRex).map((name): [string, Response] => [
      `a page with a pet whose ${name} is wrong, which isPet must find`,
      Response.json([receivedRex, { ...receivedRex, [name]: {} }]),
    ]),
  ])('rejects with unexpected_response if the response is %s', async (_, response) => {
    const { fetch, sent } = scriptedFetch(response);

    const error = await rejection(connect({ fetch }).listPets());

    expect(error).toBeInstanceOf(PetStoreError);
    expect(error).toMatchObject({ code: 'unexpected_response', status: response.status });
    expect(error.message).toMatch(
      /^The response is not from the service: status \d{3}, [\w/]+.*: GET http:.+\/pets$/,
    );
    expect(inspect(error)).not.toContain(key);
    expect(sent).toHaveLength(1);
  });
});
