import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it, onTestFinished } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as fallback } from '../../functions/fallback.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { createLocalGateway } from '../../infra/local/localGateway.ts';
import { CheckFailure, CheckSkipped } from '../../infra/tools/smoke/Check.ts';
import { openService, type ServiceOptions } from '../../infra/tools/smoke/openService.ts';
import { type Outcome, runChecks } from '../../infra/tools/smoke/runChecks.ts';
import { smokeChecks } from '../../infra/tools/smoke/smokeChecks.ts';
import { readSmokeOptions } from '../../infra/tools/smoke/smokeOptions.ts';
import type { ApiResponse } from '../../lib/middlewares/ApiMiddleware.ts';
import type { Handler } from '../../lib/requestHandler.ts';
import { apiKey } from '../helpers/api.ts';
import { runScript, startService } from '../helpers/npmScript.ts';

/** What becomes of a request before the service sees it, or of an answer before the client does. */
type Lie = {
  asked?: (event: APIGatewayProxyEvent) => void;
  answered?: (answer: ApiResponse, event: APIGatewayProxyEvent) => void;
};

/** Serves the interface on the tables of this file, with a lie in it. */
async function serve({ asked, answered }: Lie): Promise<string> {
  const lying = (handler: Handler): Handler =>
    async function lie(rawEvent, context) {
      const event = rawEvent as APIGatewayProxyEvent;
      asked?.(event);
      const answer = await handler(event, context);
      answered?.(answer, event);
      return answer;
    };
  const server = createLocalGateway({
    createPet: lying(createPet),
    fallback: lying(fallback),
    getPet: lying(getPet),
    listPets: lying(listPets),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** Runs the whole suite against a service that lies. */
async function outcomesOf(lie: Lie, options: Partial<ServiceOptions> = {}): Promise<Outcome[]> {
  const baseAddress = await serve(lie);
  const service = openService({ baseAddress, apiKey, areRelativeLinksTaken: false, ...options });
  const outcomes: Outcome[] = [];
  const checks = smokeChecks(service, { startedAt: new Date(), waitMs: 0 });
  for await (const outcome of runChecks(checks)) outcomes.push(outcome);
  return outcomes;
}

const broken = (outcomes: Outcome[]) =>
  outcomes.filter(({ trouble }) => trouble instanceof CheckFailure).map(({ title }) => title);

const notSeen = (outcomes: Outcome[]) =>
  outcomes.filter(({ trouble }) => trouble instanceof CheckSkipped).map(({ title }) => title);

// biome-ignore lint/suspicious/noExplicitAny: a lie makes anything of a body
function edit(answer: ApiResponse, change: (body: any) => unknown): void {
  answer.body = JSON.stringify(change(JSON.parse(answer.body)));
}

function editLinks({ headers }: ApiResponse, change: (link: string) => string): void {
  for (const name of ['Location', 'Link']) {
    if (headers[name]) headers[name] = change(headers[name]);
  }
}

/** The parameters of a list, to be deleted as if they had not been sent. */
function deleteParameter(event: APIGatewayProxyEvent, name: string): void {
  delete event.queryStringParameters?.[name];
  delete event.multiValueQueryStringParameters?.[name];
}

function deleteHeader({ headers, multiValueHeaders }: APIGatewayProxyEvent, name: RegExp): void {
  for (const map of [headers, multiValueHeaders]) {
    for (const key of Object.keys(map)) if (name.test(key)) delete map[key];
  }
}

describe('npm run smoke', () => {
  it('passes against npm start, and leaves three sold pets with its name', async () => {
    const { baseAddress, apiKey } = await startService(['--in-memory']);

    const { exitCode, stdout, stderr } = await runScript('smoke', ['--base-url', baseAddress], {
      PETSTORE_API_KEY: apiKey,
    });

    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\d+ passed, 0 failed, 0 not seen, in \d+\.\d s\.$/m);
    expect(stdout).not.toMatch(/✗|–/);
    expect(exitCode).toBe(0);
    const Authorization = `Bearer ${apiKey}`;
    const pets = await fetch(`${baseAddress}/pets`, { headers: { Authorization } });
    const sold = { name: expect.stringMatching(/^smoke-test \d{4}-/), status: 'sold' };
    expect(await pets.json()).toMatchObject([sold, sold, sold]);
  });

  it('says what was expected, what came and of which request, and not the key', async () => {
    const baseAddress = await serve({
      answered(answer, { httpMethod, headers }) {
        if (httpMethod !== 'PATCH') return;
        answer.statusCode = 404;
        edit(answer, () => ({ code: 'not_found', message: headers.Authorization, status: 404 }));
      },
    });

    const { exitCode, stdout } = await runScript('smoke', [
      ...['--base-url', baseAddress],
      ...['--api-key', apiKey],
    ]);

    const failure = stdout.split('✗')[1];
    expect(failure).toMatch(/^ +\d+ ms {2}answers 405 for PATCH \/pets, and Allow .+\n/);
    expect(failure).toContain('expected  the status 405\n');
    expect(failure).toMatch(
      /got {7}\{"code":"not_found","message":"Bearer \*{3}.","status":404\}\n/,
    );
    expect(failure).toMatch(/answer {4}404 to PATCH \/v1\/pets, X-Request-Id [\da-f-]{36}\n/);
    expect(stdout).toMatch(/✗ .+no answer repeats the API key/);
    expect(stdout).not.toContain(apiKey.slice(0, -1));
    expect(stdout).toMatch(/^\d+ passed, 2 failed, 0 not seen/m);
    expect(exitCode).toBe(1);
  });

  it('tries nothing else where nobody answers', async () => {
    const { exitCode, stdout } = await runScript('smoke', [
      ...['--base-url', 'http://127.0.0.1:1/v1'],
      ...['--api-key', apiKey],
    ]);

    expect(stdout).toContain('an answer to GET /v1/pets?limit=1 from http://127.0.0.1:1/v1');
    expect(stdout).toMatch(/^0 passed, 1 failed, \d+ not seen/m);
    expect(exitCode).toBe(1);
  });

  it('exits with 2 for options that are wrong', async () => {
    const { exitCode, stdout, stderr } = await runScript('smoke', ['--verbose']);

    expect(stderr).toContain("Unknown option '--verbose'");
    expect(stderr).toContain('npm run smoke -- --base-url <url>');
    expect(stderr).not.toContain('    at ');
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });
});

describe('readSmokeOptions', () => {
  const url = ['--base-url', 'http://127.0.0.1:3000/v1'];

  it('takes address and key from the environment, and a slash too many', () => {
    const environment = {
      PETSTORE_BASE_URL: 'http://127.0.0.1:3000/v1/',
      PETSTORE_API_KEY: apiKey,
    };

    const options = readSmokeOptions([], environment);

    expect(options).toMatchObject({ baseAddress: 'http://127.0.0.1:3000/v1', apiKey });
  });

  it.each([
    ['no address', [], '--base-url, or PETSTORE_BASE_URL, takes an http or https address'],
    ['an address without a scheme', ['--base-url', 'localhost:3000/v1'], '--base-url'],
    ['an address without /v1', ['--base-url', 'http://127.0.0.1:3000'], 'that ends in /v1'],
    ['an address with a query', ['--base-url', 'http://127.0.0.1/v1?stage=x'], '--base-url'],
    ['no key', url, '--api-key, or PETSTORE_API_KEY, takes a whole key'],
    ['a key that was cut', [...url, '--api-key', apiKey.slice(0, -1)], 'takes a whole key'],
    ['a wait that is no number', [...url, '--api-key', apiKey, '--wait', 'long'], '--wait takes'],
  ])('refuses %s and says what to change', (_what, args, message) => {
    const read = () => readSmokeOptions(args, {});

    expect(read).toThrow(message);
    expect(read).not.toThrow('ps_test_');
  });
});

describe('smokeChecks', () => {
  it.each<[string, string[], Lie]>([
    [
      'a common header is missing, and another one repeated',
      [
        'every answer has X-Content-Type-Options: nosniff',
        'every answer has an X-Request-Id of its own',
      ],
      {
        answered({ headers }) {
          delete headers['X-Content-Type-Options'];
          headers['X-Request-Id'] = 'request-1';
        },
      },
    ],
    [
      'an int64 is rounded',
      [
        'createPet answers 201 with the pet as sent, the largest int64 exact',
        'createPet keeps the smallest int64 exact, without an Idempotency-Key',
        'createPet keeps 2^53 + 1 exact, and every character of a name',
        'every pet has id, name, categoryId and status, and nothing else',
      ],
      {
        answered(answer) {
          if (answer.statusCode < 300) edit(answer, (rounded) => rounded);
        },
      },
    ],
    [
      'an Idempotency-Key is not looked at',
      [
        'createPet adds one pet where two requests with one Idempotency-Key race',
        'createPet answers the same 201 for a pet sent again with its Idempotency-Key',
        'createPet answers the same 201 for a pet in another spelling, with a member that does not count',
        'createPet answers the same 201 for a pet as application/*+json with a parameter',
        'createPet answers the same 201 for a pet without a Content-Type',
        'createPet answers the same 201 for a pet in a body of exactly 64 KiB',
        'createPet answers 422 where an Idempotency-Key comes with another pet',
        'createPet answers 400 for an Idempotency-Key with more than 255 characters',
        'createPet answers 400 for an Idempotency-Key with a space in it',
      ],
      { asked: (event) => deleteHeader(event, /^idempotency-key$/i) },
    ],
    [
      'a Location is that of another pet, and an error says more than it should',
      [
        'createPet gives the Location of the pet, which getPet answers at once',
        'every error has code, message and status, and nothing else',
      ],
      {
        answered(answer) {
          const { headers, statusCode } = answer;
          if (headers.Location) headers.Location = headers.Location.replace(/\d+$/, '1000000');
          if (statusCode === 413) edit(answer, (body) => ({ ...body, stack: 'at …' }));
        },
      },
    ],
    [
      'a message names one fault of many',
      [
        'createPet answers 400 for no body',
        'createPet answers 400 for three faults, and names them all',
        'listPets answers 400 for three faults, and names them all',
      ],
      {
        answered(answer) {
          if (answer.statusCode !== 400) return;
          edit(answer, ({ message, ...body }) => ({
            ...body,
            message: message.split(/;| and categoryId/)[0],
          }));
        },
      },
    ],
    [
      'a filter is not applied, and each page is the first one',
      [
        'listPets answers with available pets alone where they are asked for',
        'listPets answers with pending pets alone where they are asked for',
        'pages of 1, by their links, are the first pets of a page of 3',
      ],
      {
        asked(event) {
          const { limit, cursor } = event.queryStringParameters ?? {};
          if (limit === '100') deleteParameter(event, 'status');
          if (limit === '1' && cursor) deleteParameter(event, 'cursor');
        },
      },
    ],
    [
      'a list ends too early',
      [
        'pages of 1, by their links, are the first pets of a page of 3',
        'a link to the next page keeps limit and status',
        'listPets answers 400 for a cursor of another list',
      ],
      {
        answered({ headers }, { queryStringParameters: query }) {
          if (query?.limit === '1') delete headers.Link;
        },
      },
    ],
    [
      'new pets are left out of a list',
      ['listPets shows each new pet once, in the order of ids'],
      {
        answered(answer, { queryStringParameters: query }) {
          if (query?.limit === '100' && query.status === 'sold') answer.body = '[]';
        },
      },
    ],
    [
      'a link loses the filter',
      ['a link to the next page keeps limit and status'],
      {
        asked({ queryStringParameters: query, multiValueQueryStringParameters: lists }) {
          // The service finds the filter again, so that nothing but the link is wrong.
          if (query?.limit === '1' && query.cursor && lists) lists.status = ['sold'];
        },
        answered: (answer) => editLinks(answer, (link) => link.replace('&status=sold', '')),
      },
    ],
    [
      'an unknown path is told apart without a key, and Allow says too much',
      [
        'answers 401 without a key before it looks at GET /store/orders',
        'answers 405 for POST /pets/1, and Allow says what it has',
        'answers 405 for PUT /pets/1, and Allow says what it has',
      ],
      {
        answered(answer, { path }) {
          if (answer.headers.Allow) answer.headers.Allow = 'GET, POST';
          if (path !== '/v1/store/orders') return;
          answer.statusCode = 404;
          edit(answer, () => ({ code: 'not_found', message: 'No such path.', status: 404 }));
        },
      },
    ],
    [
      'a 401 has no challenge',
      [
        'answers 401 for no key, with its challenge',
        'answers 401 for an empty key, with its challenge',
        'answers 401 for another scheme, with its challenge',
        'answers 401 for a mistyped key, with its challenge',
        'answers 401 for a key that was never issued, with its challenge',
        'answers 401 for two keys, with its challenge',
      ],
      { answered: ({ headers }) => delete headers['WWW-Authenticate'] },
    ],
    [
      'a 404 of getPet does not announce its end, and listPets does',
      ['getPet announces its end on every answer', 'no other answer announces an end'],
      {
        answered({ statusCode, headers }, { path }) {
          if (statusCode === 404) delete headers.Sunset;
          if (path === '/v1/pets') headers.Deprecation = '@1795132800';
        },
      },
    ],
  ])('finds that %s', async (_what, expected, lie) => {
    expect(broken(await outcomesOf(lie))).toEqual(expected);
  });

  it('takes what gateways change: the name of the challenge and, where told, links', async () => {
    const likeGateway: Lie = {
      answered(answer) {
        editLinks(answer, (link) => link.replace(/http:\/\/[^/]+/, ''));
        const { 'WWW-Authenticate': challenge } = answer.headers;
        if (challenge) answer.headers['x-amzn-remapped-www-authenticate'] = challenge;
        delete answer.headers['WWW-Authenticate'];
      },
    };

    const told = await outcomesOf(likeGateway, { areRelativeLinksTaken: true });

    expect(broken(told)).toEqual([]);
  });

  it('follows no link to another host, which would get the key', async () => {
    let strangersRequests = 0;
    const stranger = await serve({
      asked() {
        strangersRequests += 1;
      },
    });

    const outcomes = await outcomesOf({
      answered: (answer) => editLinks(answer, (link) => link.replace(/http:.+?\/v1/, stranger)),
    });

    expect(broken(outcomes)).toEqual([
      'createPet gives the Location of the pet, which getPet answers at once',
      'pages of 1, by their links, are the first pets of a page of 3',
      'a link to the next page keeps limit and status',
      'listPets answers 400 for a cursor of another list',
      'getPet announces its end on every answer',
    ]);
    expect(strangersRequests).toBe(0);
  });

  it('waits as long as a rate limit tells it to', async () => {
    let refusals = 0;

    const outcomes = await outcomesOf({
      answered(answer) {
        if (refusals === 3) return;
        refusals += 1;
        answer.statusCode = 429;
        answer.headers['Retry-After'] = '0';
      },
    });

    expect(refusals).toBe(3);
    expect(broken(outcomes)).toEqual([]);
  });

  it('gives up the walk to its pets in a store of very many, and says so', async () => {
    let pages = 0;

    const outcomes = await outcomesOf({
      answered(answer, { headers, queryStringParameters: query }) {
        if (query?.limit !== '100' || query.status !== 'sold') return;
        pages += 1;
        answer.body = '[]';
        answer.headers.Link = `<http://${headers.host}/v1/pets?limit=100&status=sold>; rel="next"`;
      },
    });

    expect(broken(outcomes)).toEqual([]);
    expect(notSeen(outcomes)).toEqual(['listPets shows each new pet once, in the order of ids']);
    expect(pages).toBeLessThan(110);
  });
});
