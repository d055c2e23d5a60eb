import { delimiter, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { isolatedEnvironment } from './isolatedEnvironment.ts';

const endpoint = 'http://127.0.0.1:4566';

describe('isolatedEnvironment', () => {
  it.each([
    'AWS_PROFILE',
    'AWS_SESSION_TOKEN',
    'AWS_ENDPOINT_URL_CLOUDFORMATION',
    'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
    'AWS_WEB_IDENTITY_TOKEN_FILE',
    'CDK_DEFAULT_ACCOUNT',
    'HTTPS_PROXY',
    'http_proxy',
    'PETSTORE_API_KEY',
  ])('removes %s of the caller', (name) => {
    vi.stubEnv(name, 'of the caller');

    const environment = isolatedEnvironment(endpoint, '/folder');

    expect(environment[name]).toBeUndefined();
  });

  it('replaces credentials and their files', () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'of the caller');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'of the caller');

    const environment = isolatedEnvironment(endpoint, '/folder');

    expect(Object.values(environment)).not.toContain('of the caller');
    expect(environment).toMatchObject({
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SHARED_CREDENTIALS_FILE: join('/folder', 'none'),
      HOME: '/folder',
    });
  });

  it('puts the Node.js of this project first', () => {
    const [first] = isolatedEnvironment(endpoint, '/folder').PATH?.split(delimiter) ?? [];

    expect(first).toBe(join(process.cwd(), 'node_modules/.bin'));
  });
});
