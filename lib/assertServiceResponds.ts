import { createApiKey } from './apiKeys/apiKey.ts';
import { challenge, operations } from './operations.ts';

/** Sends a GET request to a path below the base address. */
type Send = (path: string, headers: Record<string, string>) => Promise<Response>;

/**
 * Sends two requests that need no secret. Throws if a response is wrong.
 *
 * The 401 without a key shows that the function runs with valid settings. The 401 with a well-formed key
 * that was never issued shows that the function reads DynamoDB.
 */
export async function assertServiceResponds(send: Send, stage: string): Promise<void> {
  const { path } = operations.listPets;
  const neverIssued = `Bearer ${createApiKey(stage)}`;
  await expectUnauthorized('without a key', challenge, send(path, {}));
  await expectUnauthorized(
    'with a key that was never issued',
    `${challenge}, error="invalid_token"`,
    send(path, { Authorization: neverIssued }),
  );
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
