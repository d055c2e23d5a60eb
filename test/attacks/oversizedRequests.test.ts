import { describe, expect, it } from 'vitest';
import { apiKey } from '../helpers/api.ts';
import { serveFunctions } from '../helpers/gateway.ts';

const gateway = serveFunctions();

describe('oversized requests', () => {
  const send = (path: string, headers: [string, string][] = []) =>
    fetch(`${gateway.origin}${path}`, {
      headers: [['authorization', `Bearer ${apiKey}`], ...headers],
    });

  it('with hundreds of headers get 200, and with thousands 400', async () => {
    const headers = (count: number) =>
      Array.from({ length: count }, (_, n): [string, string] => [`x${n}`, '']);

    expect((await send('/v1/pets', headers(400))).status).toBe(200);
    expect((await send('/v1/pets', headers(4000))).status).toBe(400);
  });

  it('with thousands of parameters get a response', async () => {
    expect((await send(`/v1/pets?${'a=1&'.repeat(3000)}`)).status).toBe(200);
    expect((await send(`/v1/pets?${'limit=1&'.repeat(1500)}`)).status).toBe(400);
  });
});
