import { lookUpApiKey } from '../../apiKeys/lookUpApiKey.ts';
import { ApiError } from '../../errors.ts';
import { challenge } from '../../operations.ts';
import type { ApiEvent, ApiMiddleware } from '../event.ts';

/** Accepts requests whose only bearer token is a valid API key. Rejects all others with 401. */
export function authenticate(): ApiMiddleware {
  return {
    before: async function authenticate({ event }) {
      const token = bearerToken(event);
      if (!token) {
        throw unauthorized(
          'Send an API key in the header Authorization: Bearer <API_KEY>.',
          challenge,
        );
      }
      const apiKeyId = await lookUpApiKey(token, event.log);
      if (!apiKeyId) {
        throw unauthorized(
          'The API key is not valid. It is mistyped, expired, revoked, or from another deployment.',
          `${challenge}, error="invalid_token"`,
        );
      }
      event.apiKeyId = apiKeyId;
    },
  };
}

/** Returns everything after the scheme. The scheme is case-insensitive (RFC 9110), the key is not. */
function bearerToken({ headers, multiValueHeaders }: ApiEvent): string | undefined {
  const credentials = multiValueHeaders.authorization ?? [headers.authorization];
  // HTTP joins repeated headers with commas, and no key contains one.
  return /^bearer +(\S.*)$/i.exec(credentials.join(', '))?.[1];
}

function unauthorized(message: string, authenticate: string): ApiError {
  return new ApiError('unauthorized', message, { headers: { 'WWW-Authenticate': authenticate } });
}
