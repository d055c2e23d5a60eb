import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod/mini';
import { createApiKey } from '../apiKeys/apiKey.ts';
import { config } from '../config.ts';
import { ErrorBody } from '../schemas.ts';

/** A function may take 10 s to respond, and a cold start a little more. */
const lambda = new LambdaClient({
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 14_000, throwOnRequestTimeout: true },
});

/** For both requests together. The rest of the hook's 40 s is for its report. */
const checkTimeoutMs = 28_000;

const Response401 = z.object({
  statusCode: z.literal(401),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

/**
 * Sends two requests to a version of a function before it gets traffic.
 *
 * One has no key, the other a well-formed key that was never issued. A correct 401 proves the bundle,
 * the settings, the permissions and the API keys table, and changes nothing. Throws otherwise.
 */
export async function checkVersion(versionArn: string | undefined): Promise<void> {
  if (!versionArn) throw new Error('VERSION_ARN is missing in the environment.');
  const abortSignal = AbortSignal.timeout(checkTimeoutMs);
  const withoutKey = await challengeOf(versionArn, {}, abortSignal);
  if (withoutKey.includes('error='))
    throw new Error(`Without a key the version responds: ${withoutKey}`);

  const authorization = `Bearer ${createApiKey(config.stage)}`;
  const withUnknownKey = await challengeOf(versionArn, { authorization }, abortSignal);
  if (!withUnknownKey.includes('error="invalid_token"')) {
    throw new Error(`With an unknown key the version responds: ${withUnknownKey}`);
  }
}

/** Sends a request to the version and returns the `WWW-Authenticate` header of its 401. */
async function challengeOf(
  versionArn: string,
  headers: Record<string, string>,
  abortSignal: AbortSignal,
): Promise<string> {
  const event = { httpMethod: 'GET', path: '/v1/pets', headers };
  const { Payload } = await lambda.send(
    new InvokeCommand({ FunctionName: versionArn, Payload: JSON.stringify(event) }),
    { abortSignal },
  );
  const text = Payload?.transformToString() ?? '';
  try {
    const { headers: responseHeaders, body } = Response401.parse(JSON.parse(text));
    z.extend(ErrorBody, { code: z.literal('unauthorized'), status: z.literal(401) }).parse(
      JSON.parse(body),
    );
    return z.string().check(z.startsWith('Bearer ')).parse(responseHeaders['WWW-Authenticate']);
  } catch (cause) {
    throw new Error(`The version did not respond 401 to a request without a valid key: ${text}`, {
      cause,
    });
  }
}
