import { createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { challenge, operations } from '../../lib/operations.ts';

/** For both requests together. infra/parts/monitoring/Heartbeat.ts gives the function 5 s more. */
const requestsMs = 20_000;

const { BASE_ADDRESS = '', STAGE = '' } = process.env;

/**
 * Runs every five minutes, and fails if clients would not get the responses that the service promises.
 *
 * It sends two requests that need no secret. The 401 without a key shows that the function runs with valid
 * settings. The 401 with a well-formed key that was never issued shows that the function reads DynamoDB.
 */
export async function handler(): Promise<void> {
  const signal = AbortSignal.timeout(requestsMs);
  await expectUnauthorized('without a key', challenge, send({}, signal));
  await expectUnauthorized(
    'with a key that was never issued',
    `${challenge}, error="invalid_token"`,
    send({ Authorization: `Bearer ${createApiKey(STAGE)}` }, signal),
  );
}

function send(headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  return fetch(`${BASE_ADDRESS}${operations.listPets.path}`, {
    // Lambda freezes the function between the runs, so a connection of the last run may be dead.
    headers: { ...headers, Connection: 'close' },
    redirect: 'error',
    signal,
  });
}

/** Throws unless the response is a 401 with this challenge. The message never contains the body. */
async function expectUnauthorized(
  question: string,
  expectedChallenge: string,
  request: Promise<Response>,
): Promise<void> {
  const response = await request.catch((cause: Error) => {
    throw new Error(`The request ${question} failed: ${cause.message}`, { cause });
  });
  const { status, headers } = response;
  // API Gateway renames the header of a function's response.
  const received =
    headers.get('x-amzn-remapped-www-authenticate') ?? headers.get('www-authenticate');
  const body = Object(await response.json().catch(() => undefined));
  const isError =
    body.code === 'unauthorized' && body.status === 401 && typeof body.message === 'string';
  if (status === 401 && received === expectedChallenge && isError) return;
  throw new Error(
    `The request ${question} got the status ${status}, the challenge ${received} and ${isError ? 'the' : 'not the'} body of a 401. Its X-Request-Id is ${headers.get('x-request-id')}.`,
  );
}
