import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { lambdaSettings } from '../../../lib/coldStart/tuning.ts';

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
