import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Sha256 } from '../../../lib/dynamodb/tuning.ts';

const encoder = new TextEncoder();

async function hexDigest(sum: Sha256, ...parts: string[]): Promise<string> {
  for (const part of parts) sum.update(encoder.encode(part));
  return Buffer.from(await sum.digest()).toString('hex');
}

describe('Sha256', () => {
  it('returns the known digest of a text, whole or in parts', async () => {
    const digestOfAbc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

    expect(await hexDigest(new Sha256(), 'abc')).toBe(digestOfAbc);
    expect(await hexDigest(new Sha256(), 'a', 'bc')).toBe(digestOfAbc);
  });

  it.each([
    ['text', 'AWS4secret'],
    ['bytes', encoder.encode('AWS4secret')],
    ['bytes in a larger buffer', encoder.encode('..AWS4secret..').subarray(2, 12)],
    ['an ArrayBuffer', encoder.encode('AWS4secret').buffer],
    ['an empty text', ''],
  ])('returns the HMAC if the secret is %s', async (_, secret) => {
    const expected = createHmac('sha256', secret === '' ? '' : 'AWS4secret').update('20261120');

    expect(await hexDigest(new Sha256(secret), '20261120')).toBe(expected.digest('hex'));
  });

  it.each([undefined, encoder.encode('secret')])('starts again after a reset', async (secret) => {
    const sum = new Sha256(secret);
    await hexDigest(sum, 'something else');

    sum.reset();

    expect(await hexDigest(sum, 'abc')).toBe(await hexDigest(new Sha256(secret), 'abc'));
  });
});
