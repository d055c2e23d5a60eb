import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod/mini';
import { createApiKey } from '../apiKeys/apiKey.ts';
import { config } from '../config.ts';
import { parseExactJson } from '../exactJson.ts';
import type { RawEvent } from '../http/event.ts';
import { basePath } from '../operations.ts';
import { ErrorBody } from '../schemas.ts';
import { dataPathCheckOf } from './checkDataPath.ts';

/** A function may take 10 s to respond, and a cold start a little more. */
const lambda = new LambdaClient({
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 14_000, throwOnRequestTimeout: true },
});

/** For all requests together. The rest of the hook's 60 s is for its report. */
const checkTimeoutMs = 45_000;

const Refusal = z.extend(ErrorBody, { code: z.literal('unauthorized'), status: z.literal(401) });

/**
 * Sends requests to a version of a function before it gets traffic.
 *
 * The first has no key, the second a well-formed key that was never issued. A correct 401 proves the
 * bundle, the settings and the API keys table. The others prove the operation. Throws if a response is
 * wrong.
 *
 * `infra/constructs/Releases.ts` sets the variables: a version, and the name of its function.
 */
export async function checkVersion({
  VERSION_ARN,
  VERIFIED_FUNCTION,
}: NodeJS.ProcessEnv): Promise<void> {
  if (!VERSION_ARN) throw new Error('VERSION_ARN is missing in the environment.');
  const checkDataPath = dataPathCheckOf(VERIFIED_FUNCTION);
  const abortSignal = AbortSignal.timeout(checkTimeoutMs);
  const send = (event: RawEvent) => invoke(VERSION_ARN, event, abortSignal);

  const withoutKey = await challengeOf(send, {});
  if (withoutKey.includes('error='))
    throw new Error(`Without a key the version responds: ${withoutKey}`);

  const authorization = `Bearer ${createApiKey(config.stage)}`;
  const withUnknownKey = await challengeOf(send, { authorization });
  if (!withUnknownKey.includes('error="invalid_token"')) {
    throw new Error(`With an unknown key the version responds: ${withUnknownKey}`);
  }

  await checkDataPath(async (request, status) => {
    const text = await send({ ...request, isReleaseCheck: true });
    try {
      return parseExactJson(readResponse(text, status).body);
    } catch (cause) {
      throw new Error(
        `The version did not respond ${status} to ${request.httpMethod} ${request.path}: ${text}`,
        { cause },
      );
    }
  });
}

/** Sends a request to the version and returns the `WWW-Authenticate` header of its 401. */
async function challengeOf(
  send: (event: RawEvent) => Promise<string>,
  headers: Record<string, string>,
): Promise<string> {
  const text = await send({ httpMethod: 'GET', path: `${basePath}/pets`, headers });
  try {
    const response = readResponse(text, 401);
    Refusal.parse(JSON.parse(response.body));
    return z.string().check(z.startsWith('Bearer ')).parse(response.headers['WWW-Authenticate']);
  } catch (cause) {
    throw new Error(`The version did not respond 401 to a request without a valid key: ${text}`, {
      cause,
    });
  }
}

function readResponse(text: string, status: number) {
  const Response = z.object({
    statusCode: z.literal(status),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  });
  return Response.parse(JSON.parse(text));
}

/** Returns what the version returned, as text. */
async function invoke(arn: string, event: RawEvent, abortSignal: AbortSignal): Promise<string> {
  const { Payload } = await lambda.send(
    new InvokeCommand({ FunctionName: arn, Payload: JSON.stringify(event) }),
    { abortSignal },
  );
  return Payload?.transformToString() ?? '';
}
