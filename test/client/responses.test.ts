import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { PetStoreError } from '../../client/src/PetStoreError.ts';
import {
  connect,
  key,
  receivedRex,
  rejection,
  respond,
  startScriptedServer,
} from '../helpers/petStoreClient.ts';
import { minimalPet, rexFilter } from '../helpers/samplePets.ts';

describe('a received pet', () => {
  it('may have a value that this version does not know', async () => {
    const [filter = ''] = Object.keys(rexFilter);
    const received = { ...receivedRex, [filter]: 'unknown' };
    const server = await startScriptedServer(respond(201, received));

    expect(await connect(server).createPet(minimalPet)).toHaveProperty(filter, 'unknown');
  });

  it('may have members of a newer service, whose integers stay exact', async () => {
    const more =
      '"small":4,"fraction":1.5,"large":9007199254740993,"several":[-9223372036854775808]';
    const server = await startScriptedServer(
      respond(201, JSON.stringify(receivedRex).replace('{', `{${more},`)),
    );

    expect(await connect(server).createPet(minimalPet)).toMatchObject({
      id: 1n,
      small: 4n,
      fraction: 1.5,
      large: 9007199254740993n,
      several: [-9223372036854775808n],
    });
  });
});

describe('a call', () => {
  it('rejects with the code of the service, even if this version does not know it', async () => {
    const sent = { code: 'too_many_pets', message: 'Enough.', status: 409 };
    const server = await startScriptedServer(respond(409, sent));

    const error = await rejection(connect(server).createPet(minimalPet));

    expect(error).toMatchObject(sent);
  });

  const longId = JSON.stringify(receivedRex).replace('"id":1', `"id":${'1'.repeat(20)}`);

  it.each([
    ['malformed JSON', respond(200, '[{"id":')],
    ['a success of another status', respond(203, [receivedRex])],
    ['an error of another server', respond(403, { message: `Bearer ${key}` })],
    ['a pet with an id beyond int64', respond(200, `[${longId}]`)],
    [
      'an error of another status',
      respond(404, { code: 'unauthorized', message: 'm', status: 401 }),
    ],
    ['a redirect', respond(302, '', { Location: 'http://127.0.0.2/' })],
  ])('rejects with unexpected_response if the response is %s', async (_, listener) => {
    const server = await startScriptedServer(listener);

    const error = await rejection(connect(server).listPets());

    expect(error).toBeInstanceOf(PetStoreError);
    expect(error.code).toBe('unexpected_response');
    expect(error.message).toMatch(
      /^The response is not from the service: status \d{3}, [\w/]+: GET http:.+\/pets$/,
    );
    expect(inspect(error)).not.toContain(key);
    expect(server.requests).toHaveLength(1);
  });

  it.each(Object.keys(receivedRex))('rejects a page with a pet whose %s is wrong', async (name) => {
    const wrong = { ...receivedRex, [name]: {} };
    const server = await startScriptedServer(respond(200, [receivedRex, wrong]));

    const call = connect(server).listPets();

    const advice = 'let isPet in client/src/createPetStoreClient.ts check each field';
    await expect(call, advice).rejects.toMatchObject({ code: 'unexpected_response' });
  });

  it('reads a response of 2 MB', async () => {
    const server = await startScriptedServer(respond(200, '[]'.padEnd(2_000_000)));

    expect(await connect(server).listPets()).toEqual({ pets: [] });
  });

  const tooLong = '[]'.padEnd(2_000_001);

  it.each([
    ['the response', 200, respond(200, tooLong)],
    ['an error response', 503, respond(503, tooLong)],
    [
      'a compressed response',
      200,
      (response: ServerResponse) =>
        response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(tooLong)),
    ],
  ])('rejects without a retry if %s has more than 2 MB', async (_, status, listener) => {
    const server = await startScriptedServer(listener);

    const error = await rejection(connect(server).listPets());

    expect(error).toMatchObject({
      code: 'unexpected_response',
      status,
      message: `The response has more than 2000000 bytes: status ${status}: GET ${server.baseAddress}/pets`,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('stops reading a response that never ends', async () => {
    const cancel = vi.fn();
    const pull = (controller: ReadableStreamDefaultController) =>
      controller.enqueue(new Uint8Array(100_000));
    const fetch = async () => new Response(new ReadableStream({ pull, cancel }));

    await expect(connect({ fetch }).listPets()).rejects.toThrow('more than 2000000 bytes');
    expect(cancel).toHaveBeenCalledOnce();
  });
});
