import { ApiError } from '../ApiError.ts';
import type { ApiEvent } from '../ApiEvent.ts';
import { authenticate } from '../apiKeys.ts';
import type { ApiMiddleware } from './ApiMiddleware.ts';

const challenge = 'Bearer realm="petstore"';

/** Lets a request pass with a live API key as its one bearer token, and answers 401 to the rest. */
export function callerAuthenticated(): ApiMiddleware {
  return {
    before: async function authenticateCaller({ event }) {
      const token = bearerToken(event);
      if (!token) {
        throw unauthorized(
          'Send an API key in the header Authorization: Bearer <API_KEY>.',
          challenge,
        );
      }
      const apiKeyId = await authenticate(token);
      if (!apiKeyId) {
        throw unauthorized(
          'The API key is not valid: it is mistyped, expired, revoked or of another deployment.',
          `${challenge}, error="invalid_token"`,
        );
      }
      event.apiKeyId = apiKeyId;
    },
  };
}

/** All that follows the scheme, which is case-insensitive (RFC 9110); the key is not. */
function bearerToken({ headers, multiValueHeaders }: ApiEvent): string | undefined {
  const credentials = multiValueHeaders.authorization ?? [headers.authorization];
  // Several headers are no one's key, and joined as HTTP joins them they stay none.
  return /^bearer +(\S.*)$/i.exec(credentials.join(', '))?.[1];
}

function unauthorized(message: string, authenticate: string): ApiError {
  return new ApiError('unauthorized', message, { headers: { 'WWW-Authenticate': authenticate } });
}
