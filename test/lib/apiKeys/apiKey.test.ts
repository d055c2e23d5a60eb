import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apiKeyDigest, apiKeyId, createApiKey, isApiKeyOf } from '../../../lib/apiKeys/apiKey.ts';
import { anyText } from '../../helpers/anyText.ts';

describe('createApiKey', () => {
  it('makes a key that secret scanners can find by its form, and a double click selects', () => {
    expect(createApiKey('v1-staging')).toMatch(/^ps_v1_staging_[A-Za-z0-9]{49}$/);
  });

  it('makes 1000 different keys', () => {
    const keys = Array.from({ length: 1000 }, () => createApiKey('local'));

    expect(new Set(keys).size).toBe(1000);
    expect(keys.filter((key) => !/^ps_local_[A-Za-z0-9]{49}$/.test(key))).toEqual([]);
  });
});

describe('isApiKeyOf', () => {
  const key = createApiKey('v1-production');

  it('accepts only keys of its own stage', () => {
    expect(isApiKeyOf('v1-production', key)).toBe(true);
    expect(isApiKeyOf('v1-staging', key)).toBe(false);
    expect(isApiKeyOf('v1-staging', key.replace('production', 'staging'))).toBe(false);
  });

  it('refuses a key with any one mistyped character', () => {
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.stringMatching(/^[\w-]$/), (at, typed) => {
        fc.pre(key[at] !== typed);

        expect(isApiKeyOf('v1-production', key.slice(0, at) + typed + key.slice(at + 1))).toBe(
          false,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('refuses a key with a character before or after it', () => {
    expect(isApiKeyOf('v1-production', `x${key}`)).toBe(false);
    expect(isApiKeyOf('v1-production', `${key}x`)).toBe(false);
  });

  it('refuses every other text', () => {
    fc.assert(fc.property(anyText, (text) => !isApiKeyOf('local', text)));
  });
});

describe('apiKeyDigest', () => {
  it('is the SHA-256 of the key in hex', () => {
    expect(apiKeyDigest('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

describe('apiKeyId', () => {
  it('is 48 bits of the digest', () => {
    expect(apiKeyId(apiKeyDigest('abc'))).toBe('key_ba7816bf8f01');
  });
});
