import { Writable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../lib/errors.ts';
import { gatewayLog } from '../../local/gatewayLog.ts';
import { apiKey } from '../helpers/api.ts';
import { functions, startGateway } from '../helpers/gateway.ts';

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
const piped = await startGateway(broken, { log: gatewayLog(output(false)) });
const terminal = await startGateway(broken, { log: gatewayLog(output(true)) });

async function send(gateway: typeof piped, path: string, method = 'GET'): Promise<string | null> {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${gateway.origin}${path}`, { method, headers });
  return response.headers.get('X-Request-Id');
}

beforeEach(() => {
  lines = [];
});

describe('the log of a terminal', () => {
  it('has the stack of a 5xx and of its causes on lines of their own', async () => {
    await send(terminal, '/v1/pets', 'POST');

    const [failed = ''] = lines;
    // As with NO_COLOR, this output has no colours.
    expect(failed).not.toContain('\u001b');
    expect(failed).toMatch(/Error: broken\n +at .*gatewayLog\.test.*Error: x\n +at /s);
  });
});

describe('the log of a file or a pipe', () => {
  it('has one JSON object a line, each with time, level and request id, and without the query', async () => {
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    const refused = { timestamp, requestId: await send(piped, '/v1/pets?cursor=secret') };
    const listed = { timestamp, requestId: await send(piped, '/v1/pets') };
    const failed = { timestamp, requestId: await send(piped, '/v1/pets', 'POST'), level: 'ERROR' };

    const get = { path: '/v1/pets', durationMs: expect.any(Number), method: 'GET' };
    const post = { ...get, method: 'POST' };
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { ...refused, ...get, level: 'WARN', status: 400, errorCode: 'bad_request' },
      { ...listed, ...get, level: 'INFO', status: 200 },
      { ...failed, message: expect.any(String), cause: expect.any(Object) },
      { ...failed, ...post, status: 500, errorCode: 'internal_error' },
    ]);
  });

  it('never has a key, whole or cut off, as it is or percent-encoded', async () => {
    const encode = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;
    const encoded = [...apiKey].map(encode).join('');
    const texts = [
      apiKey,
      apiKey.slice(0, 'ps_'.length + 22),
      ...[...'ps_'].map((letter) => apiKey.replace(letter, encode)),
      encoded,
      apiKey.replaceAll('_', '%5F'), // as programs write it
    ];

    for (const text of texts) await send(piped, `/v1/${text}`);

    const paths = lines.map((line) => JSON.parse(line).path);
    expect(paths).toEqual(Array(texts.length).fill('/v1/ps_***'));
  });
});
