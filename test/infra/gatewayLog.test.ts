import { Writable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { gatewayLog } from '../../infra/local/gatewayLog.ts';
import { ApiError } from '../../lib/errors.ts';
import { apiKey } from '../helpers/api.ts';
import { functions, startGateway } from '../helpers/gateway.ts';
import { minimalPet } from '../helpers/samplePets.ts';

let lines: string[] = [];
const output = (isTTY: boolean) =>
  Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    }),
    { isTTY },
  );

const broken = {
  ...functions,
  createPet: () => Promise.reject(new Error('broken', { cause: new ApiError('not_found', 'x') })),
};
const piped = await startGateway(functions, { log: gatewayLog(output(false)) });
const terminal = await startGateway(broken, { log: gatewayLog(output(true)) });

const send = (origin: string, path: string, init: RequestInit = {}) =>
  fetch(`${origin}${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
  });

beforeEach(() => {
  lines = [];
});

describe('the log of a terminal', () => {
  it('has one line a request, with error code and invalid fields', async () => {
    await send(terminal.origin, '/v1/pets?cursor=&limit=0&status=x');
    await send(terminal.origin, '/v1/none');

    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d 400 GET +\d+\.\d ms {2}\/v1\/pets {2}bad_request [a-z, ]*limit/,
    );
    expect(lines[1]).toMatch(/ {2}\/v1\/none {2}not_found\n$/);
  });

  it('has the stack of a 5xx with its causes, and its request id', async () => {
    const response = await send(terminal.origin, '/v1/pets', { method: 'POST' });

    const text = lines.join('');
    expect(text).toMatch(/Error: broken\n +at .*gatewayLog\.test\.ts:\d+:\d+/);
    expect(text).toMatch(/\nError: x\n +at .*gatewayLog\.test\.ts/);
    expect(lines.at(-1)).toMatch(
      new RegExp(
        ` 500 POST .+ internal_error\\n +request id ${response.headers.get('X-Request-Id')}\\n$`,
      ),
    );
  });
});

describe('the log of a file or a pipe', () => {
  it('has one JSON object a request, with neither query nor values', async () => {
    await send(piped.origin, '/v1/pets?cursor=secret');
    const required = Object.keys(minimalPet);
    const invalid = required.map((field) => [field, ['secret; field must ']]);
    const body = JSON.stringify(Object.fromEntries(invalid));
    await send(piped.origin, '/v1/pets', { method: 'POST', body });
    await send(piped.origin, '/v1/pets');

    const request = { timestamp: expect.any(String), durationMs: expect.any(Number) };
    const error = { path: '/v1/pets', status: 400, errorCode: 'bad_request' };
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { ...request, ...error, method: 'GET', invalid: expect.any(Array) },
      { ...request, ...error, method: 'POST', invalid: required },
      { ...request, method: 'GET', path: '/v1/pets', status: 200 },
    ]);
  });

  it('never has a key or a forged line', async () => {
    await send(piped.origin, '/v1/%0Aforged\u009b2K');
    const encoded = [...apiKey].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
    const twice = apiKey.replaceAll('_', '%255F');
    for (const text of [apiKey, apiKey.replace('_', '%5f'), encoded, twice]) {
      await send(piped.origin, `/v1/${text}`);
    }

    expect(lines[0]).toMatch(/"\/v1\/%0Aforged%C2%9B2K"/);
    const paths = lines.slice(1).map((line) => JSON.parse(line).path);
    expect(paths).toEqual(Array(4).fill('/v1/ps_***'));
  });
});
