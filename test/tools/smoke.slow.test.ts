import { spawnSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { serviceUnavailable } from '../../lib/errors.ts';
import type { ApiResponse } from '../../lib/http/event.ts';
import type { Handler } from '../../lib/http/handler.ts';
import { stringifyExactJson } from '../../lib/int64.ts';
import {
  createLocalGateway,
  type Functions,
  type GatewayOptions,
  loadFunctions,
} from '../../local/localGateway.ts';
import { issueApiKey } from '../../tools/apiKeyRegistry.ts';
import { smoke as smokeCommand } from '../../tools/smoke.ts';
import { unknownPath } from '../contract/checkResponse.ts';
import { filter, sampleMark, samplePets } from '../contract/petResource.ts';
import { apiKey, call, registry } from '../helpers/api.ts';
import { emptyTables, storedPets } from '../helpers/database.ts';
import { listen } from '../helpers/listen.ts';
import { runScript, startProcess } from '../helpers/npmScript.ts';
import { reportSkipped } from '../helpers/reportSkipped.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';
import { rex } from '../helpers/samplePets.ts';

vi.mock(import('node:timers/promises'), { spy: true });

/** Changes a response before the client gets it. */
type Lie = (response: ApiResponse, event: APIGatewayProxyEvent) => void;

/** Serves the interface on the tables of this file, with changed responses. Returns the base address. */
async function serve(lie: Lie, options: GatewayOptions = {}): Promise<string> {
  const lying =
    (handler: Handler): Handler =>
    async (event, context) => {
      const response = await handler(event, context);
      lie(response, event as APIGatewayProxyEvent);
      return response;
    };
  const lyingFunctions = Object.entries(await loadFunctions()).map(([name, handler]) => [
    name,
    lying(handler),
  ]);
  const server = createLocalGateway(Object.fromEntries(lyingFunctions) as Functions, options);
  return `${await listen(server)}/v1`;
}

/** Replaces a response by that of a request whose database calls timed out. */
function failDatabase(response: ApiResponse): void {
  const error = serviceUnavailable('The store did not respond.');
  Object.assign(response.headers, error.headers);
  Object.assign(response, { statusCode: error.status, body: JSON.stringify(error) });
}

/** Runs the whole suite in a process of its own, which takes seconds. */
const smoke = (baseAddress: string, ...options: string[]) =>
  runScript('smoke', ['--base-address', baseAddress, ...options], {
    // As from a file of Windows
    PETSTORE_API_KEY: `${apiKey}\r\n`,
    // vitest would use colours.
    CI: 'true',
  });

/** `script` of util-linux runs a command in a terminal. */
const hasTerminal = spawnSync('script', ['--version']).status === 0;
if (!hasTerminal) {
  reportSkipped('The test of npm run smoke in a terminal needs script, of util-linux.');
}

describe('npm run smoke', () => {
  it('adds each sample pet with its name, waits for a rate limit, and accepts a stage that web pages may call, and what gateways change', async () => {
    const corsOrigins = ['https://app.example.com'];
    vi.stubEnv('CORS_ORIGINS', corsOrigins.join());
    vi.stubEnv('PETSTORE_RELATIVE_LINKS', 'on');
    vi.stubEnv('PETSTORE_CORS_ORIGIN', corsOrigins[0]);
    vi.resetModules();
    await emptyTables();
    // A first pet, so that a cursor leads to the new ones.
    await call(createPet, { body: rex });
    let refusals = 0;
    const baseAddress = await serve(
      (response) => {
        const { headers } = response;
        for (const name of ['Location', 'Link']) {
          if (headers[name]) headers[name] = headers[name].replace(/http:\/\/[^/]+/, '');
        }
        const { 'WWW-Authenticate': challenge, ...others } = headers;
        if (challenge) {
          response.headers = { ...others, 'x-amzn-remapped-www-authenticate': challenge };
        }
        if (refusals < 3) {
          refusals += 1;
          Object.assign(response, { statusCode: 429, body: '{}' });
          response.headers['Retry-After'] = '0';
        }
      },
      { corsOrigins },
    );

    const { exitCode, stdout, stderr } = await smoke(baseAddress);

    expect(stderr).toBe('');
    expect(stdout).toMatch(/Tests +\d+ passed \| \d+ skipped/);
    expect(exitCode).toBe(0);
    const added = (await storedPets()).filter(({ id }) => id !== 1n);
    const count = Object.keys(samplePets).length;
    expect(added).toMatchObject(Array(count).fill({ [filter.name]: filter.sample }));
    expect(stringifyExactJson(added).split(`"${sampleMark} `)).toHaveLength(count + 1);
  });

  it('exits with 1 and names each broken promise, adds no pet with --read-only, and neither shows nor sends off the key', async () => {
    const body = { ...rex, [filter.name]: filter.sample };
    await Promise.all(Array.from({ length: 4 }, () => call(createPet, { body })));
    const before = await storedPets();
    vi.stubEnv('PETSTORE_CORS_ORIGIN', 'https://app.example.com');
    const corsOrigins = ['https://other.example.com'];
    let strangersRequests = 0;
    const stranger = await listen((_request, response) => {
      strangersRequests += 1;
      response.end('[]');
    });
    function lie(response: ApiResponse, event: APIGatewayProxyEvent): void {
      const { headers, statusCode } = response;
      const limit = event.queryStringParameters?.limit;
      const request = `${event.httpMethod} ${event.path}`;
      if (request === `GET /v1${unknownPath}` && statusCode === 404) {
        Object.assign(response, { statusCode: 200, body: '{}' });
      }
      if (request === 'GET /v1/pets' && limit === '0' && statusCode === 400) {
        // Only its letters are those of the key, so no test recognises it.
        const message = event.headers.authorization?.toUpperCase();
        response.body = JSON.stringify({ code: 'bad_request', message, status: 400 });
      }
      if (request === 'PATCH /v1/pets') {
        const message = event.headers.authorization;
        response.body = JSON.stringify({ code: 'method_not_allowed', message, status: 405 });
      }
      if (headers.Link && limit === '3') {
        headers.Link = headers.Link.replace(/http:.+?\/v1/, `${stranger}/v1`);
      }
    }
    const baseAddress = await serve(lie, { corsOrigins });

    const { exitCode, stdout, stderr } = await smoke(baseAddress, '--read-only');

    const titles = stderr.matchAll(/^ FAIL +\|?contract\|? \S+ > (.+)$/gm);
    const brokenPromises = [...titles].map(([, title]) => title).sort();
    expect(brokenPromises).toEqual([
      'a known path with another method > responds 405 with Allow: PATCH /pets',
      'a preflight > gets 204, and allows the origin of PETSTORE_CORS_ORIGIN: /pets',
      'a preflight > gets 204, and allows the origin of PETSTORE_CORS_ORIGIN: /pets/{petId}',
      `an unknown path > responds 404: ${unknownPath}`,
      'listPets > names all faults in one message',
      expect.stringMatching(/^listPets > responds 400 for the limit of \["0",/),
      'listPets by pages > returns the same pets in pages of 1 as in a page of 3',
    ]);
    expect(stderr).toContain('The response to PATCH /pets repeats the API key.');
    expect(stderr).toContain(`Expected a link below ${baseAddress}/, got ${stranger}/v1/pets`);
    expect(strangersRequests).toBe(0);
    expect(await storedPets()).toEqual(before);
    expect(stderr).toContain('BEARER ps_***');
    expect((stdout + stderr).toLowerCase()).not.toContain(apiKey.slice(0, -1).toLowerCase());
    expect(exitCode).toBe(1);
  });

  it('exits with 1 and says so if the database fails, also for the pets that the tests need', async () => {
    const baseAddress = await serve((response, event) => {
      if (event.httpMethod === 'POST') failDatabase(response);
    });

    const { exitCode, stderr } = await smoke(baseAddress);

    expect(stderr).toContain('Error: The database failed: 503 to POST /pets');
    expect(exitCode).toBe(1);
  });

  it.runIf(hasTerminal)('shows the broken promises and the result in a terminal', async () => {
    const baseAddress = await serve((response, event) => {
      if (event.path === `/v1${unknownPath}`) response.statusCode = 200;
    });
    const command = `'${process.execPath}' tools/run.cjs tools/smoke.ts --read-only --base-address ${baseAddress}`;

    const terminal = startProcess('script', ['-qec', command, '/dev/null'], {
      PETSTORE_API_KEY: apiKey,
    });

    expect(await terminal.exited).toBe(1);
    expect(terminal.stdout).toMatch(/FAIL .+ an unknown path > responds 404: \/nothing\/here/);
    expect(terminal.stdout).toMatch(/Tests +\d+ failed \| \d+ passed/);
  });

  it('exits with 2 if nothing responds for a minute, or the key or the address is wrong', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const start = Date.now();
    vi.mocked(wait).mockImplementation(async (ms = 0) => void vi.advanceTimersByTime(ms));
    vi.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('fetch failed'));

    const readOnlyKey = await issueApiKey(registry, { name: 'reader', readOnly: true });
    const ownAddress = await serve(() => {});
    const otherAddress = await serve((response) => Object.assign(response, { statusCode: 404 }));

    const waiting = 'Waiting for the first response, at most a minute.\n';
    for (const [baseAddress, key, problem, stdout = ''] of [
      [ownAddress, 'ps_wrong', 'responds 401: PETSTORE_API_KEY must be a valid key', waiting],
      [
        'http://127.0.0.1:2/v1',
        apiKey,
        'No response from http://127.0.0.1:2/v1/pets: ECONNREFUSED',
        waiting.repeat(6),
      ],
      [ownAddress, undefined, 'responds 401: PETSTORE_API_KEY must be a valid key of this stage'],
      [ownAddress, readOnlyKey, 'responds 403: the API key must not be read-only'],
      [otherAddress, apiKey, 'responds 404: check the base address'],
    ] as const) {
      const environment = { PETSTORE_API_KEY: key };
      const refused = await runCommandHere(
        smokeCommand,
        ['--base-address', baseAddress],
        environment,
      );

      expect(refused.stderr).toContain(problem);
      expect(refused).toMatchObject({ exitCode: 2, stdout });
    }
    expect(Date.now() - start).toBe(70_000);
  });
});
