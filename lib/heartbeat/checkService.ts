import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import * as z from 'zod/mini';
import { ErrorBody } from '../schemas.ts';

const ssm = new SSMClient({
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
});

/** The gateway responds within 12 s. All requests are sent at once. */
const responseTimeoutMs = 15_000;

type Check = {
  name: string;
  path: string;
  request: { method?: string; headers?: Record<string, string>; body?: string };
  status: number;
  body: z.ZodMiniType;
};

type Environment = {
  /** The address that clients use. It ends in `/v1`. */
  BASE_ADDRESS?: string;
  /** The name of the parameter that holds the API key of the heartbeat. */
  API_KEY_PARAMETER?: string;
};

/**
 * Sends requests as a client does. They read pets and add none. Throws if a response is wrong.
 *
 * A list proves the address, the function, the key and both tables. Two refusals prove that the service
 * asks for a key, and that the function that creates pets runs. Errors name statuses and request ids,
 * never the body of a response: a gateway may copy the Authorization header into it.
 */
export async function checkService({ BASE_ADDRESS, API_KEY_PARAMETER }: Environment) {
  const authorization = `Bearer ${await readApiKey(API_KEY_PARAMETER)}`;
  const failures = await Promise.all(
    checks(authorization).map((check) => failureOf(check, `${BASE_ADDRESS}${check.path}`)),
  );
  const messages = failures.filter((failure) => failure !== undefined);
  if (messages.length > 0) throw new Error(messages.join('; '));
}

function checks(authorization: string): Check[] {
  return [
    {
      name: 'GET /pets',
      path: '/pets?limit=1',
      request: { headers: { authorization } },
      status: 200,
      body: z.array(z.unknown()),
    },
    {
      name: 'GET /pets without a key',
      path: '/pets?limit=1',
      request: {},
      status: 401,
      body: z.extend(ErrorBody, { code: z.literal('unauthorized') }),
    },
    {
      name: 'POST /pets without a name',
      path: '/pets',
      request: {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: '{}',
      },
      status: 400,
      body: z.extend(ErrorBody, { code: z.literal('bad_request') }),
    },
  ];
}

/** Returns what is wrong with the response, if anything is. */
async function failureOf(
  { name, request, status, body }: Check,
  url: string,
): Promise<string | undefined> {
  try {
    const response = await fetch(url, {
      ...request,
      // Lambda freezes between the runs. A connection of the last run may be dead.
      headers: { ...request.headers, connection: 'close' },
      redirect: 'error',
      signal: AbortSignal.timeout(responseTimeoutMs),
    });
    const text = await response.text();
    const isExpected = response.status === status && body.safeParse(parseJson(text)).success;
    if (isExpected) return undefined;
    const requestId = response.headers.get('x-request-id');
    return `${name}: status ${response.status}, expected ${status} with a valid body, request ${requestId}`;
  } catch (error) {
    const { message, cause } = error as Error;
    return `${name}: ${message}${cause instanceof Error ? `, ${cause.message}` : ''}`;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readApiKey(Name: string | undefined): Promise<string> {
  try {
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name, WithDecryption: true }));
    return z.string().check(z.minLength(1)).parse(Parameter?.Value);
  } catch (error) {
    // Lambda logs the message of an error, but not its cause.
    throw new Error(
      `The API key of the heartbeat cannot be read from the parameter ${Name}: ${error}`,
    );
  }
}
