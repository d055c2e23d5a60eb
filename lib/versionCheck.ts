import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { createApiKey } from './apiKey.ts';
import { config } from './config.ts';
import { ErrorBody } from './schemas.ts';

/** A function may take 10 s for an answer, and the start of a new version a little more. */
const lambda = new LambdaClient({
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 14_000, throwOnRequestTimeout: true },
});

/** For both requests together; what remains of the hook's 40 s is for its report. */
const checkTimeoutMs = 28_000;

const Answer = z.object({
  statusCode: z.literal(401),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

/**
 * Has a version of a function answer two requests before clients reach it.
 *
 * One has no key, one has a well-formed key that was never issued. To refuse them rightly the
 * version needs its bundle, its settings, its permissions and the table of API keys; neither changes
 * anything. Throws where it does not.
 */
export async function checkVersion(versionArn: string | undefined): Promise<void> {
  if (!versionArn) throw new Error('VERSION_ARN is missing in the environment.');
  const abortSignal = AbortSignal.timeout(checkTimeoutMs);
  const toNone = await challengeOf(versionArn, {}, abortSignal);
  if (toNone.includes('error=')) throw new Error(`Without a key the version says: ${toNone}`);

  const authorization = `Bearer ${createApiKey(config.stage)}`;
  const toUnknown = await challengeOf(versionArn, { authorization }, abortSignal);
  if (!toUnknown.includes('error="invalid_token"')) {
    throw new Error(`With an unknown key the version says: ${toUnknown}`);
  }
}

/** Sends a request to the version, and reads out of its 401 what it asks for. */
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
    const { headers: answered, body } = Answer.parse(JSON.parse(text));
    ErrorBody.extend({ code: z.literal('unauthorized'), status: z.literal(401) }).parse(
      JSON.parse(body),
    );
    return z.string().startsWith('Bearer ').parse(answered['WWW-Authenticate']);
  } catch (cause) {
    throw new Error(`The version did not answer as a caller without a live key is: ${text}`, {
      cause,
    });
  }
}
