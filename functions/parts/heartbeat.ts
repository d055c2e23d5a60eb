import { createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { challenge, operationEntries } from '../../lib/operations.ts';

/** For all requests, which are sent at once. infra/parts/monitoring/Heartbeat.ts gives the function 5 s more. */
const requestsMs = 20_000;

/** No item has this id. */
const noId = '0';

const { BASE_ADDRESS = '', STAGE = '' } = process.env;

/**
 * Runs every minute, and fails if clients would not get the responses that the service promises.
 *
 * It needs no secret: the service must refuse each of its requests. A 401 with a well-formed key that was never
 * issued shows that the function of the operation runs with valid settings and reads DynamoDB. No request has
 * a body, and none names a pet, so it would change nothing even if the key were accepted.
 */
export async function handler(): Promise<void> {
  const signal = AbortSignal.timeout(requestsMs);
  const Authorization = `Bearer ${createApiKey(STAGE)}`;
  const outcomes = await Promise.allSettled([
    // No operation has the path of the base address, so the fallback responds.
    expectUnauthorized('fallback without a key', challenge, send('GET', '', {}, signal)),
    ...operationEntries.map(([name, { method, path }]) =>
      expectUnauthorized(
        `${name} with a key that was never issued`,
        `${challenge}, error="invalid_token"`,
        send(method, path.replaceAll(/\{\w+\}/g, noId), { Authorization }, signal),
      ),
    ),
  ]);
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
  if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason.message).join(' '));
}

function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(`${BASE_ADDRESS}${path}`, {
    method,
    // Lambda freezes the function between the runs, so a connection of the last run may be dead.
    headers: { ...headers, Connection: 'close' },
    redirect: 'error',
    signal,
  });
}

/** Throws unless the response is a 401 with this challenge. The message never contains the body. */
async function expectUnauthorized(
  what: string,
  expectedChallenge: string,
  request: Promise<Response>,
): Promise<void> {
  const response = await request.catch((error: Error) => {
    throw new Error(`The request to ${what} failed: ${error.cause ?? error}.`);
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
    `The request to ${what} got the status ${status}, the challenge ${received} and ${isError ? 'the' : 'not the'} body of a 401. Its X-Request-Id is ${headers.get('x-request-id')}.`,
  );
}
