import dns from 'node:dns';
import { describe, expect, it, vi } from 'vitest';
import type * as z from 'zod/mini';
import { handler as createPet } from '../../../functions/createPet.ts';
import { handler as listPets } from '../../../functions/listPets.ts';
import { apiKeyDigest, apiKeyId } from '../../../lib/apiKeys/apiKey.ts';
import type { RawEvent } from '../../../lib/http/event.ts';
import { requestHandler } from '../../../lib/http/handler.ts';
import { operationEntries, operations } from '../../../lib/operations.ts';
import { apiKey, call, loadHandler } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import { interceptDatabase } from '../../helpers/database.ts';
import { listen } from '../../helpers/listen.ts';
import { rex } from '../../helpers/samplePets.ts';

describe('requestHandler: responses', () => {
  const production = {
    domainName: 'x.execute-api.eu-west-1.amazonaws.com',
    path: '/v1-production/v1/pets',
  };

  it.each<[RawEvent['requestContext'], scheme: string, address: string]>([
    [{ domainName: 'api.example.com', path: '/v1/pets' }, 'https', 'https://api.example.com/v1'],
    [production, 'https', `https://${production.domainName}/v1-production/v1`],
    [{ domainName: 'localhost:3000', path: '/v1/pets' }, 'http', 'http://localhost:3000/v1'],
    [{ domainName: 'api.example.com', path: '/elsewhere' }, 'https', 'https://api.example.com/v1'],
    [{ domainName: 'api.example.com' }, 'https', '/v1'],
    [{ path: '/v1-staging/v1/pets' }, 'https', '/v1'],
    [null, 'https', '/v1'],
  ])('sends links to the address that the client used, if it is known: %j', async (...row) => {
    const [requestContext, scheme, address] = row;
    const headers = { 'X-Forwarded-Proto': scheme };

    const created = await call(createPet, { body: rex, headers, event: { requestContext } });

    expect(created.headers.Location).toBe(`${address}/pets/${created.json.id}`);
  });
});

describe('requestHandler: failures', () => {
  it.each(operationEntries.filter(([, { input }]) => Object.keys(input).length > 0))(
    'repeats nothing of an invalid request: %s',
    async (name, { input }) => {
      const sent = 'Confidential\u00e9';
      const log = captureLog();

      const { status, text } = await call(await loadHandler(name, {}), {
        pathParameters: withEachField(input.path, sent),
        query: withEachField(input.query, sent),
        headers: withEachField(input.headers, sent),
        body: withEachField(input.body, [sent]),
      });

      expect(status, 'send a value that no field accepts').toBe(input.path ? 404 : 400);
      expect(`${text}${log.text()}`).not.toContain('Confidential');
    },
  );

  it('responds 503 after three attempts of 1.5 s if the database is silent', async () => {
    captureLog();
    vi.spyOn(Math, 'random').mockReturnValue(0); // the SDK retries at once
    const attempts: string[][] = [];
    const AWS_ENDPOINT_URL_DYNAMODB = await listen((_request, response) => {
      const events: string[] = [];
      attempts.push(events);
      response.once('close', () => events.push('given up'));
      // More than a second before and after the time-out, because this machine may be busy.
      setTimeout(() => events.push('after 0.4 s'), 400);
      setTimeout(() => events.push('after 3 s'), 3_000);
    });
    const handler = await loadHandler('listPets', { AWS_ENDPOINT_URL_DYNAMODB });

    const { status } = await call(handler);

    expect(status).toBe(503);
    await expect.poll(() => attempts.flat().length).toBe(9);
    expect(attempts).toEqual(Array(3).fill(['after 0.4 s', 'given up', 'after 3 s']));
  });

  it('responds 503, and logs why, if no connection to the database can be made', async () => {
    const log = captureLog();
    vi.spyOn(Math, 'random').mockReturnValue(0); // the SDK retries at once
    const lookup = vi.spyOn(dns, 'lookup').mockReturnValue(undefined); // no name server responds
    const AWS_ENDPOINT_URL_DYNAMODB = 'http://database.invalid';
    const handler = await loadHandler('listPets', { AWS_ENDPOINT_URL_DYNAMODB });

    expect((await call(handler)).status).toBe(503);
    const message = expect.stringContaining('did not establish a connection');
    expect(log.lines()).toMatchObject([{ code: 'request_failed', cause: { message } }]);
    expect(lookup).toHaveBeenCalledTimes(3);
  });

  it('responds 503 if the responses of the database are incomplete, and then not JSON', async () => {
    captureLog();
    vi.spyOn(Math, 'random').mockReturnValue(0); // the SDK retries at once
    let attempts = 0;
    const AWS_ENDPOINT_URL_DYNAMODB = await listen((_request, response) => {
      attempts += 1;
      if (attempts === 3) return response.end('<html>a proxy</html>');
      response.writeHead(200, { 'Content-Length': 100 });
      return response.write('{', () => response.destroy());
    });
    const handler = await loadHandler('listPets', { AWS_ENDPOINT_URL_DYNAMODB });

    expect((await call(handler)).status).toBe(503);
    expect(attempts).toBe(3);
  });

  it('responds 500 without the cause, and logs its stack and causes, and no other property of it', async () => {
    const log = captureLog();
    await call(listPets);
    // Other error handlers would send the message of an error with a status.
    const sent = { request: { body: 'Confidential' }, statusCode: 418, expose: true };
    const cause = Object.assign(new Error('what went wrong below'), sent);
    interceptDatabase(async () => {
      throw Object.assign(new TypeError('a bug', { cause }), sent);
    });

    const { status, text } = await call(listPets);

    expect(status).toBe(500);
    expect(text).not.toContain('bug');
    const stack = expect.stringContaining('handler.test.ts');
    expect(log.lines()).toMatchObject([
      {
        level: 'ERROR',
        code: 'request_failed',
        requestId: 'request-1',
        operation: 'listPets',
        status: 500,
        errorCode: 'internal_error',
        apiKeyId: apiKeyId(apiKeyDigest(apiKey)),
        cause: {
          name: 'TypeError',
          message: 'a bug',
          stack,
          cause: { name: 'Error', message: 'what went wrong below', stack },
        },
      },
    ]);
    expect(log.text()).not.toContain('Confidential');
  });

  const circle: { self?: object } = {};
  circle.self = circle;

  const unloggable = expect.stringMatching(/^It cannot be logged: TypeError: /);

  it.each<[string, thrown: unknown, cause: unknown]>([
    ['an error whose cause is no JSON', new Error('a bug', { cause: circle }), unloggable],
    ['a value that is no JSON', { toJSON: () => Promise.reject.call(null) }, unloggable],
    ['null', null, { code: 'internal_error' }],
  ])('responds 500, and logs one line, after %s was thrown', async (_what, thrown, cause) => {
    const handler = requestHandler('listPets', { ...operations.listPets, input: {} }, () =>
      Promise.reject(thrown),
    );
    const log = captureLog();

    const { status } = await call(handler);

    expect(status).toBe(500);
    expect(log.lines()).toMatchObject([{ code: 'request_failed', status: 500, cause }]);
  });

  it('sends a call again if its response stalls after the headers', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0); // the SDK retries at once
    let attempts = 0;
    const AWS_ENDPOINT_URL_DYNAMODB = await listen((_request, response) => {
      attempts += 1;
      response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.0' }).write('{');
      if (attempts === 2) response.end('}'); // no such key
    });
    const handler = await loadHandler('listPets', { AWS_ENDPOINT_URL_DYNAMODB });

    expect((await call(handler)).status).toBe(401);
    expect(attempts).toBe(2);
  });
});

/** Returns an object with the fields of a schema, each with this value. */
function withEachField<Value>(schema: z.ZodMiniType | undefined, value: Value) {
  const { shape = {} } = (schema ?? {}) as Partial<z.ZodMiniObject>;
  return Object.fromEntries(Object.keys(shape).map((field) => [field, value]));
}
