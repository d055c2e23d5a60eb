import { describe, expect, it, vi } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as fallback } from '../../functions/fallback.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { isApiKeyOf } from '../../lib/apiKeys/apiKey.ts';
import { config } from '../../lib/config.ts';
import type { Handler } from '../../lib/http/handler.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { emptyStore, interceptDatabase, storedPets, storeItem } from '../helpers/database.ts';
import {
  type Invoke,
  releasingAws,
  running,
  verdict,
  verifyVersion,
  versionArn,
} from '../helpers/releasingAws.ts';

const respondingWith =
  (payload: unknown, headers: Record<string, string> = {}): Invoke =>
  (_sent, response) =>
    response.writeHead(200, headers).end(JSON.stringify(payload));

const challenge = 'Bearer realm="petstore"';
const refusal = { code: 'unauthorized', message: 'No.', status: 401 };

const unauthorized = (theChallenge: string, body: unknown = refusal) => ({
  statusCode: 401,
  headers: { 'WWW-Authenticate': theChallenge },
  body: JSON.stringify(body),
});

const noRefusal = 'The version did not respond 401 to a request without a valid key';

/** A row: a fault of the response to every request, and the logged reason, which shows the response. */
const withResponse = (
  fault: string,
  response: unknown,
  headers?: Record<string, string>,
): [string, Invoke, string] => [
  fault,
  respondingWith(response, headers),
  `${noRefusal}: ${JSON.stringify(response)}`,
];

const notStored = `The version did not store the pet in ${config.petsTableName}, or not as sent: {"id":`;

describe('verifyVersion, by the responses of the new version,', () => {
  it.each([
    ['listPets', listPets, ['GET /v1/pets']],
    ['createPet', createPet, ['POST /v1/pets', 'POST /v1/pets']],
    ['getPet', getPet, ['GET /v1/pets/1']],
    ['fallback', fallback, ['GET /v1/unknown']],
  ])(
    'lets %s have traffic after it refused two requests without a valid key and did its work',
    async (name, version, work) => {
      const aws = await releasingAws(running(version), { name });
      captureLog();

      await verifyVersion();

      expect(aws.verdicts).toEqual([verdict('Succeeded')]);
      const sent = aws.events.map(({ httpMethod, path }) => `${httpMethod} ${path}`);
      expect(sent).toEqual(['GET /v1/pets', 'GET /v1/pets', ...work]);
      expect(aws.invoked).toEqual(sent.map(() => versionArn));
    },
  );

  it.each<[string, string, Handler, (body: string, count: number) => string | undefined, string]>([
    [
      'lists another pet',
      'listPets',
      listPets,
      (body) => body.replace('sold', 'pending'),
      'aborted',
    ],
    ['lists no pet', 'listPets', listPets, () => '[]', 'aborted'],
    [
      'reads a pet with another name',
      'getPet',
      getPet,
      (body) => body.replace('release', 'another'),
      'The version returned another pet: {"id":1,"name":"another check',
    ],
    [
      'reads a pet with another id',
      'getPet',
      getPet,
      (body) => body.replace('"id":1', '"id":2'),
      'The version returned another pet: {"id":2,',
    ],
    [
      'reads a pet of another category',
      'getPet',
      getPet,
      (body) => body.replace('"categoryId":1', '"categoryId":2'),
      'The version returned another pet: ',
    ],
    [
      'reads no pet',
      'getPet',
      getPet,
      () => undefined,
      'The version did not respond 200 to GET /v1/pets/1: {"statusCode":299,',
    ],
    [
      'creates a pet with another name',
      'createPet',
      createPet,
      (body) => body.replace('release', 'x'),
      notStored,
    ],
    [
      'returns a pet without storing it',
      'createPet',
      createPet,
      (body, count) => body.replace('"id":', `"id":${count}`),
      notStored,
    ],
    [
      'returns the pet of a taken id',
      'createPet',
      createPet,
      // The second pet is as the first one, except for its id.
      (body) => body.replace(/"id":\d+/, '"id":1'),
      notStored,
    ],
    [
      'finds an unknown path',
      'fallback',
      fallback,
      () => undefined,
      'The version did not respond 404 to GET /v1/unknown: {"statusCode":299,',
    ],
  ])('stops a version that %s', async (_fault, name, version, change, message) => {
    // The check lists again until the time is up, here at the second list.
    const timeUp = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeUp.signal);
    await emptyStore();
    let count = 0;
    const aws = await releasingAws(
      async (sent, response) => {
        const result = await version(sent, {});
        count += 1;
        if (name === 'listPets' && count === 4) timeUp.abort();
        const body = sent.isReleaseCheck ? change(result.body, count) : result.body;
        const statusCode = body === undefined ? 299 : result.statusCode;
        response.end(JSON.stringify({ ...result, statusCode, body: body ?? result.body }));
      },
      { name },
    );
    const log = captureLog();

    await verifyVersion();

    expect(aws.verdicts).toEqual([verdict('Failed')]);
    expect(log.lines()).toMatchObject([
      { code: 'version_refused', cause: { message: expect.stringContaining(message) } },
    ]);
    // A pet that such a version stored without naming it may stay. No client can see it.
    const others = (await storedPets()).filter(({ pk }) => !pk.startsWith('PET#release-check#'));
    expect(others).toEqual([]);
  });

  it('stops a version of createPet that stores another pet than it returns', async () => {
    const aws = await releasingAws(
      async (sent, response) => {
        const result = await createPet(sent, {});
        for (const pet of await storedPets()) await storeItem({ ...pet, categoryId: 2n });
        response.end(JSON.stringify(result));
      },
      { name: 'createPet' },
    );
    const log = captureLog();

    await verifyVersion();

    expect(aws.verdicts).toEqual([verdict('Failed')]);
    expect(log.text()).toContain('or not as sent');
  });

  it('sends one request without a key, and one with a key that must be looked up', async () => {
    const actions = interceptDatabase(({ pass }) => pass());
    const aws = await releasingAws(running(getPet));
    captureLog();

    await verifyVersion();

    const [first, second] = aws.events;
    expect(first).toEqual({ httpMethod: 'GET', path: '/v1/pets', headers: {} });
    expect(second).toMatchObject({ httpMethod: 'GET', path: '/v1/pets' });
    const key = second?.headers?.authorization?.replace('Bearer ', '') ?? '';
    expect(isApiKeyOf(config.stage, key)).toBe(true);
    // The key, then the pet of the check.
    expect(actions).toEqual(['GetItem', 'GetItem']);
  });

  it.each<[string, Invoke, string]>([
    withResponse('accepts a request without a key', { statusCode: 200, headers: {}, body: '[]' }),
    withResponse('names another scheme', unauthorized('Basic realm="petstore"')),
    withResponse('has no message', unauthorized(challenge, { code: 'unauthorized', status: 401 })),
    withResponse('has another code', unauthorized(challenge, { ...refusal, code: 'forbidden' })),
    withResponse('has two statuses', unauthorized(challenge, { ...refusal, status: 403 })),
    withResponse('crashes', { errorMessage: 'x' }, { 'X-Amz-Function-Error': 'Unhandled' }),
    ['responds with nothing', (_sent, response) => response.end(), `${noRefusal}: `],
    [
      'treats an unknown key as no key',
      respondingWith(unauthorized(challenge)),
      `With an unknown key the version responds: ${challenge}`,
    ],
    [
      'treats no key as an unknown key',
      respondingWith(unauthorized(`${challenge}, error="invalid_token"`)),
      `Without a key the version responds: ${challenge}, error="invalid_token"`,
    ],
    [
      'may not be invoked',
      (_sent, response) => response.writeHead(403).end('{"message":"not authorized"}'),
      'not authorized',
    ],
    ['breaks the connection', (_sent, response) => response.destroy(), 'socket hang up'],
  ])('stops a version that %s, and logs why', async (_fault, invoke, message) => {
    const aws = await releasingAws(invoke);
    const log = captureLog();

    await verifyVersion();

    expect(aws.verdicts).toEqual([verdict('Failed')]);
    expect(log.lines()).toMatchObject([
      { code: 'version_refused', deploymentId: 'd-ABC', cause: { message } },
    ]);
  });

  it.each([
    ['a refusal', undefined],
    ['the response to its work', true],
  ])('logs which part of %s is wrong', async (_response, isReleaseCheck) => {
    await releasingAws(async (sent, response) => {
      const result = await getPet(sent, {});
      const isWrong = sent.isReleaseCheck === isReleaseCheck;
      response.end(JSON.stringify(isWrong ? { ...result, statusCode: 299 } : result));
    });
    const log = captureLog();

    await verifyVersion();

    expect(log.lines()).toMatchObject([
      { cause: { cause: { message: expect.stringContaining('statusCode') } } },
    ]);
  });

  it('writes no key to the log', async () => {
    await releasingAws((sent, response) => running(fallback)({ ...sent, headers: {} }, response));
    const log = captureLog();

    await verifyVersion();

    expect(log.lines()).toMatchObject([{ code: 'version_refused' }]);
    expect(log.text()).not.toMatch(/ps_test_/);
  });
});
