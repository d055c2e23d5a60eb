import { createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { challenge, operationEntries } from '../../lib/operations.ts';

/** For all requests, which are sent at once. infra/parts/monitoring/Heartbeat.ts gives the function 5 s more. */
const requestsMs = 20_000;

/** No item has this id. */
const noId = '0';

const expectedChallenge = `${challenge}, error="invalid_token"`;

const { BASE_ADDRESS = '', STAGE = '' } = process.env;

/**
 * Runs every minute, and fails if clients would not get the responses that the service promises.
 *
 * It needs no secret: each operation must refuse its request. A 401 with a well-formed key that was never issued
 * shows that the function of the operation runs with valid settings and reads DynamoDB. No request has a body,
 * and none names a pet, so it would change nothing even if the key were accepted.
 *
 * Any client can use up a limit, so a 429 is a fault only if every operation responds with it. The fallback is not
 * called.
 */
export async function handler(): Promise<void> {
  const signal = AbortSignal.timeout(requestsMs);
  const Authorization = `Bearer ${createApiKey(STAGE)}`;
  const outcomes = await Promise.all(
    operationEntries.map(([name, { method, path }]) =>
      fetch(`${BASE_ADDRESS}${path.replaceAll(/\{\w+\}/g, noId)}`, {
        method,
        // Lambda freezes the function between the runs, so a connection of the last run may be dead.
        headers: { Authorization, Connection: 'close' },
        redirect: 'error',
        signal,
      }).then(
        async (response) => ({ status: response.status, fault: await faultOf(name, response) }),
        (error: Error) => ({
          status: undefined,
          fault: `The request to ${name} failed: ${error.cause ?? error}.`,
        }),
      ),
    ),
  );
  const areAllLimited = outcomes.every(({ status }) => status === 429);
  const faults = outcomes
    .filter(({ status }) => status !== 429 || areAllLimited)
    .flatMap(({ fault }) => fault ?? []);
  if (faults.length > 0) throw new Error(faults.join(' '));
}

/** Returns what is wrong with a response, which must be a 401. The text never contains the body. */
async function faultOf(name: string, response: Response): Promise<string | undefined> {
  const { status, headers } = response;
  // API Gateway renames the header of a function's response.
  const received =
    headers.get('x-amzn-remapped-www-authenticate') ?? headers.get('www-authenticate');
  const body = Object(await response.json().catch(() => undefined));
  const isError =
    body.code === 'unauthorized' && body.status === 401 && typeof body.message === 'string';
  if (status === 401 && received === expectedChallenge && isError) return undefined;
  return `The request to ${name} got the status ${status}, the challenge ${received} and ${isError ? 'the' : 'not the'} body of a 401. Its X-Request-Id is ${headers.get('x-request-id')}.`;
}
