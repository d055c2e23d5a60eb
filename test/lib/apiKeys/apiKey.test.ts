import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { apiKeyDigest, apiKeyId, createApiKey, isApiKeyOf } from '../../../lib/apiKeys/apiKey.ts';

describe('createApiKey', () => {
  it('makes different keys of 62 characters that secret scanners can find, and a double click selects', () => {
    const keys = Array.from({ length: 1000 }, () => createApiKey('v1-other'));

    expect(new Set(keys).size).toBe(1000);
    expect(keys.filter((key) => !/^ps_v1_other_[A-Za-z0-9]{49}$/.test(key))).toEqual([]);
    const secrets = keys.map((key) => key.slice('ps_v1_other_'.length, -6));
    expect(new Set(secrets.join('')).size).toBe(62);
  });

  it('draws nothing from Math.random, whose next value can be predicted', () => {
    const random = vi.spyOn(Math, 'random');

    createApiKey('v1-other');

    expect(random).not.toHaveBeenCalled();
  });
});

describe('isApiKeyOf', () => {
  const key = createApiKey('v1-own');

  it('accepts only keys of its own stage', () => {
    const renamed = `ps_v1_other${key.slice('ps_v1_own'.length)}`;

    expect(isApiKeyOf('v1-own', key)).toBe(true);
    expect(isApiKeyOf('v1-other', key)).toBe(false);
    expect(isApiKeyOf('v1-other', renamed)).toBe(false);
  });

  it('refuses a key with any one mistyped character', () => {
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.stringMatching(/^[\w-]$/), (at, typed) => {
        fc.pre(key[at] !== typed);

        expect(isApiKeyOf('v1-own', key.slice(0, at) + typed + key.slice(at + 1))).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

describe('apiKeyDigest', () => {
  it('is the SHA-256 of the key in hex, whose first 48 bits are the public id', () => {
    const digest = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

    expect(apiKeyDigest('abc')).toBe(digest);
    expect(apiKeyId(digest)).toBe('key_ba7816bf8f01');
  });
});
