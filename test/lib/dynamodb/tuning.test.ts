import { createHmac } from 'node:crypto';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { lambdaSettings, Sha256 } from '../../../lib/dynamodb/tuning.ts';

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

describe('lambdaSettings', () => {
  const onLambda = { AWS_LAMBDA_FUNCTION_NAME: 'getPet', AWS_REGION: 'eu-west-1' };
  // The settings that the SDK would look up, here in the environment instead of `~/.aws/config`. Each value
  // differs from its default.
  const foreignSettings = {
    AWS_ACCOUNT_ID_ENDPOINT_MODE: 'required',
    AWS_AUTH_SCHEME_PREFERENCE: 'sigv4a',
    AWS_DEFAULTS_MODE: 'mobile',
    AWS_ENABLE_ENDPOINT_DISCOVERY: 'true',
    AWS_ENDPOINT_URL: 'http://foreign.example',
    AWS_REGION: 'us-east-2',
    AWS_RETRY_MODE: 'adaptive',
    AWS_SDK_UA_APP_ID: 'foreign',
    AWS_USE_DUALSTACK_ENDPOINT: 'true',
    AWS_USE_FIPS_ENDPOINT: 'true',
  };

  /** The first request of a client, on a machine with foreign settings. */
  async function firstRequest(environment: NodeJS.ProcessEnv) {
    for (const [name, value] of Object.entries(foreignSettings)) vi.stubEnv(name, value);
    const requests: { hostname: string; headers: Record<string, string> }[] = [];
    const client = new DynamoDBClient({
      ...lambdaSettings(environment),
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      requestHandler: {
        handle: async (request: (typeof requests)[number]) => {
          requests.push(request);
          throw new Error('The request is not sent.');
        },
      },
    });
    const command = new GetItemCommand({ TableName: 'pets', Key: { pk: { S: 'none' } } });
    const error = await client.send(command).catch((thrown: Error) => thrown.message);
    return {
      error,
      attempts: requests.length,
      hostname: requests[0]?.hostname,
      userAgent: requests[0]?.headers['user-agent'],
      retryMode: await resolved(client.config.retryMode),
      defaultsMode: await resolved(client.config.defaultsMode),
    };
  }

  async function resolved<Value>(setting: Value | (() => Promise<Value>)): Promise<Value> {
    return setting instanceof Function ? setting() : setting;
  }

  it('take everything from the environment of the function', async () => {
    const { userAgent, ...request } = await firstRequest(onLambda);

    expect(request).toEqual({
      error: 'The request is not sent.',
      attempts: 1,
      hostname: 'dynamodb.eu-west-1.amazonaws.com',
      retryMode: 'standard',
      defaultsMode: 'legacy',
    });
    expect(userAgent).not.toContain('app/');
  });

  it.each(['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_DYNAMODB'])('keep %s', async (name) => {
    const { hostname } = await firstRequest({ ...onLambda, [name]: 'http://emulator.example' });

    expect(hostname).toBe('emulator.example');
  });

  it('leave the lookup to the SDK outside Lambda', async () => {
    const { retryMode } = await firstRequest({ AWS_REGION: 'eu-west-1' });

    expect(retryMode).toBe('adaptive');
  });
});
